# SPDX-License-Identifier: Apache-2.0
require "time"

def some_time
  seconds = case RANDOM.rand(4)
            when 0 then RANDOM.rand(2**31)
            when 1 then RANDOM.rand(-2**33..2**33)
            # The days around New Year, where the weeks begin, and around the change to summer time.
            when 2 then Time.utc(1990 + RANDOM.rand(40), pick(1, 12), pick(1, 2, 3, 29, 30, 31)).to_i + RANDOM.rand(86400)
            else Time.utc(1996 + RANDOM.rand(30), pick(3, 10), 24 + RANDOM.rand(8)).to_i + RANDOM.rand(86400)
            end
  "Time.at(#{seconds}, #{RANDOM.rand(1_000_000)})#{pick("", ".utc")}"
end

DIRECTIVES = %w[A a B b C c D d e F G g H h I j k L l M m N n P p R r S s T t U u V v W w X x Y y Z z :z ::z :::z %
                Ec EC Ex EX EY Ey Od Oe OH OI Om OM OS Ou OU OV Ow OW Oy Q f i Ed OY ::::z]

times(700) do
  format = text(["-", " ", "x", "é"], 2)
  (1 + RANDOM.rand(4)).times do
    directive = DIRECTIVES[RANDOM.rand(DIRECTIVES.size)]
    flags = pick("", "", pick("-", "0", "^", "#", "_", "^#", "0^"))
    # Where CRuby's Time and the C library part.
    flags = flags.delete("#^") if %w[r c v].include?(directive[-1])
    format << "%" << flags << pick("", "", "", (1 + RANDOM.rand(14)).to_s) << directive
    format << text(["-", "é"], 1)
  end
  same "#{some_time}.strftime(#{lit(format)})"
end
["%", "a%", "%-", "%5", "%E", "%:", "%_", "%9999999d x", "", "\0%d\0", "%\0", "%%%"].each do |format|
  same "Time.at(0).utc.strftime(#{lit(format)})" unless format.include?("99999")
end

times(150) do
  time = some_time
  %w[httpdate rfc2822 xmlschema iso8601 iso8601(3) iso8601(6) iso8601(9) iso8601(0) utc_offset gmtoff zone nsec].each do |method|
    same "#{time}.#{method}"
  end
end

# Everything that can be asked of what was read.
def read(method, *arguments)
  same "(t = Time.#{method}(#{arguments.map { |a| lit(a) }.join(", ")}); [t.to_i, t.usec])"
end

# A text that is nearly right.
def spoiled(text, pieces)
  text = text.dup
  text[RANDOM.rand(text.size + 1), RANDOM.rand(3)] = pieces[RANDOM.rand(pieces.size)]
  text
end

HTTP = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
SPOILS = ["", " ", "0", "9", "x", ":", "-", ",", "GMT", "May"]
times(100) do
  time = eval(some_time).utc
  HTTP.each do |format|
    read "httpdate", time.strftime(format)
    read "httpdate", spoiled(time.strftime(format), SPOILS)
  end
  mail = time.strftime("%a, %d %b %Y %H:%M:%S ") + pick("+0000", "-0330", "GMT", "EST", "PDT", "A", "Z", "+0900")
  next if time.year < 1000

  read "rfc2822", mail
  mail = spoiled(mail[0..-6], ["", " ", "0", "x", ":"]) + mail[-5..-1]
  read "rfc2822", mail unless mail.match?(/\b00? [A-Z]/) # a day that CRuby takes for the last one
  xml = time.strftime("%Y-%m-%dT%H:%M:%S") + pick("", ".5", ".123456789", ".000001") + pick("", "Z", "+01:00", "-0930", "+05")
  read "xmlschema", xml
  xml = spoiled(xml, ["", " ", "0", "T", ":", "-", "."])
  read "xmlschema", xml unless xml.include?("-00-") # a month that CRuby takes for December
end
["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "sun, 06 nov 1994 08:49:37 gmt",
 "", " ", "Sun", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
 "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sunday, 06-Nov-49 08:49:37 GMT", "Sunday, 06-Nov-50 08:49:37 GMT",
 "Sun Nov 16 08:49:37 1994", "  Sun, 06 Nov 1994 08:49:37 GMT  ", "Sun, 06 Nov 1994 08:49:60 GMT"].each do |date|
  %w[httpdate rfc2822 xmlschema].each { |method| read method, date }
end
["6 Nov 1994 08:49 +0100", "Sun , 6  Nov  94  08 : 49 : 37  +0100 (CET)", "06 Nov 049 08:49:37 Z", "1 Jan 2000 00:00:00 J"].each { |d| read "rfc2822", d }

PARSED = ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S.%6N", "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S",
          "%Y%m%d", "%Y%m%d%H%M%S", "%a, %d %b %Y %H:%M:%S", "%A, %d-%b-%y %H:%M:%S", "%a %b %e %H:%M:%S %Y", "%d %B %Y", "%B %d, %Y",
          "%b %d %Y %I:%M %p", "%d-%b-%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%e %b %Y %k:%M", "%H:%M:%S %d %b %Y", "%A %d %B %Y %l:%M:%S %P", "%d.%m.%Y"]
ZONED = [" %z", " %:z", "%z", "%:z", " UTC", " GMT", "Z", " Z", " EST", " %Z"]
times(30) do
  time = eval(some_time)
  time = Time.at(time.to_i.abs % 2**31, time.usec)
  PARSED.each do |format|
    read "parse", time.strftime(format)
    read "parse", time.strftime(format + ZONED[RANDOM.rand(ZONED.size)]) if format.end_with?(":%S", "%6N")
  end
end
["10:20", "3pm", "3:04 pm", "12:00 am", "12:00 pm", "Jan 5", "5 Jan", "5th January 2024", "Jan 5th, 2024", "2024-02-31", "2024-06-15T24:00:00",
 "20240102T030405Z", "20240102T0304", "2024-01-02 03:04:05,678", "Tues, 2 Jan 2024"].each do |date|
  same "(t = Time.parse(#{lit(date)}, Time.at(1_700_000_000)); [t.to_i, t.usec])"
end
["", "x", "2024-13-01", "2024-00-10", "25:00", "10:61", "2024-01-32"].each { |date| read "parse", date }

FORMATS = ["%Y-%m-%d %H:%M:%S", "%d/%b/%Y:%H:%M:%S %z", "%y%m%d", "%Y%m%d%H%M%S", "%a, %d %b %Y %T %Z", "%B %e, %Y %I:%M %p", "%s", "%F %T.%N", "%FT%T%:z",
           "%D %R", "%c", "%x %X", "%j %Y", "%d %b %Y %l:%M:%S %P", "%Y-%m-%dT%H:%M:%S.%L%z", "%m/%d/%Y", "%%%d%n%m%t%Y", "%r %v"]
times(20) do
  time = Time.at(RANDOM.rand(2**31), RANDOM.rand(1_000_000))
  FORMATS.each do |format|
    formatted = time.strftime(format)
    read "strptime", formatted, format
    read "strptime", spoiled(formatted, ["x", "?"]), format unless format.end_with?("Z", "z")
  end
end
[["2024", "%Y"], ["2024-1-2", "%Y-%m-%d"], ["12", "%H"], ["  5 Jan", "%e %b"], ["24-12", "%y-%m"], ["1969", "%C%y"], ["10 PM", "%I %p"],
 ["13 PM", "%I %p"], ["0", "%s"], ["-5", "%s"], ["1500", "%Q"], ["2024-366", "%Y-%j"], ["2024-367", "%Y-%j"], ["x", "x"], ["1 2", "%d"], ["1", "%d %m"],
 ["31 12 99 GMT", "%d %m %y %Z"], ["2024-06-01 EST", "%F %Z"]].each do |pair|
  same "(t = Time.strptime(#{lit(pair[0])}, #{lit(pair[1])}); t.to_i / 86400 / 400)"
end
