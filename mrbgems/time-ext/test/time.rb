# SPDX-License-Identifier: Apache-2.0
# These run with TZ=CET-1CEST,M3.5.0,M10.5.0/3, the time of Berlin.

UTC = Time.at(1_709_622_489, 123_456).utc
WINTER = Time.at(1_709_622_489, 123_456)
SUMMER = Time.at(1_720_192_089)

test "strftime" do
  { "%Y-%m-%d %H:%M:%S" => "2024-03-05 07:08:09", "%a, %d %b %Y" => "Tue, 05 Mar 2024", "%A %B" => "Tuesday March",
    "%-d.%-m.%y" => "5.3.24", "%e|%k|%l|%I %p %P" => " 5| 7| 7|07 AM am", "%j %U %W %V %G %g %u %w %C" => "065 09 10 10 2024 24 2 2 20",
    "%F %T %D %R %r" => "2024-03-05 07:08:09 03/05/24 07:08 07:08:09 AM", "%c|%x|%X|%v" => "Tue Mar  5 07:08:09 2024|03/05/24|07:08:09| 5-MAR-2024",
    "%L %N %3N %6N %9N %12N" => "123 123456000 123 123456 123456000 123456000000", "%z %:z %::z %Z" => "+0000 +00:00 +00:00:00 UTC",
    "%s" => "1709622489", "%%%n%t" => "%\n\t", "%^a %^B %#Z %#p" => "TUE MARCH utc am", "%010Y|%_6m|%-H|%3d|%05e" => "0000002024|     3|7|005|00005",
    "%10A|%-10A|%^10b|%030c" => "   Tuesday|Tuesday|       MAR|000000Tue Mar  5 07:08:09 2024", "%Ey %Od %EY" => "24 05 2024",
    "%Q %f %Ed %é" => "%Q %f %Ed %é", "a\0b%d" => "a\0b05", "" => "" }.each do |format, text|
    assert_equal text, UTC.strftime(format)
  end
  assert_equal "08:08 +0100 CET", WINTER.strftime("%H:%M %z %Z")
  assert_equal "17:08 +02:00 CEST", SUMMER.strftime("%H:%M %:z %Z")
  assert_equal "-0005 -5", Time.gm(-5).strftime("%Y %-Y")
end

test "formats that cannot be" do
  ["%", "abc%", "%-", "%10"].each { |format| assert_raise(ArgumentError) { UTC.strftime(format) } }
  assert_raise(Errno::ERANGE) { UTC.strftime("%99999999999d") }
  assert_raise(TypeError) { UTC.strftime(nil) }
  assert_equal 1_000_000, UTC.strftime("%1000000d").size
end

test "the usual formats" do
  assert_equal "Tue, 05 Mar 2024 07:08:09 GMT", UTC.httpdate
  assert_equal "Tue, 05 Mar 2024 07:08:09 GMT", WINTER.httpdate
  assert_equal "Tue, 05 Mar 2024 07:08:09 -0000", UTC.rfc2822
  assert_equal "Tue, 05 Mar 2024 08:08:09 +0100", WINTER.rfc2822
  assert_equal "2024-03-05T07:08:09Z", UTC.iso8601
  assert_equal "2024-03-05T07:08:09.123Z", UTC.iso8601(3)
  assert_equal "2024-03-05T08:08:09.123456000+01:00", WINTER.xmlschema(9)
  assert_equal "2024-07-05T17:08:09+02:00", SUMMER.xmlschema
  assert_raise(ArgumentError) { UTC.iso8601(1000) }
end

test "zones" do
  assert_equal [0, 3600, 7200], [UTC, WINTER, SUMMER].map(&:utc_offset)
  assert_equal [0, 3600, 7200], [UTC, WINTER, SUMMER].map(&:gmtoff)
  assert_equal ["UTC", "CET", "CEST"], [UTC, WINTER, SUMMER].map(&:zone)
  assert_equal 123_456_000, UTC.nsec
end

test "the three dates of HTTP" do
  ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "sun, 06 nov 1994 08:49:37 gmt"].each do |date|
    assert_equal 784_111_777, Time.httpdate(date).to_i
    assert_equal true, Time.httpdate(date).utc?
    assert_equal 784_111_777, Time.parse(date + (date.end_with?("1994") ? " UTC" : "")).to_i
  end
  ["", "Sun", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 6 Nov 1994 08:49:37 GMT",
   "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
   "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0", "Xun, 06 Nov 1994 08:49:37 GMT"].each do |date|
    assert_raise(ArgumentError) { Time.httpdate(date) }
  end
  assert_raise(TypeError) { Time.httpdate(nil) }
end

test "what was written can be read again" do
  [UTC, WINTER, SUMMER, Time.at(0), Time.at(-1), Time.at(4_000_000_000), Time.at(-3_000_000_000)].each do |time|
    assert_equal time.to_i, Time.httpdate(time.httpdate).to_i
    assert_equal time.to_i, Time.rfc2822(time.rfc2822).to_i
    assert_equal time.to_i, Time.iso8601(time.iso8601).to_i
    assert_equal time, Time.iso8601(time.iso8601(6))
    assert_equal time.to_i, Time.parse(time.to_s).to_i
    assert_equal time.utc?, Time.parse(time.to_s).utc?
    assert_equal time.to_i, Time.strptime(time.strftime("%s"), "%s").to_i
    assert_equal time.to_i, Time.strptime(time.strftime("%Y-%m-%d %T %z"), "%Y-%m-%d %T %z").to_i
  end
end

test "ISO 8601" do
  assert_equal UTC, Time.iso8601("2024-03-05T07:08:09.123456Z")
  assert_equal UTC, Time.iso8601("2024-03-05T08:38:09.1234567+01:30")
  assert_equal 1_709_622_489, Time.iso8601("2024-03-05T08:08:09").to_i
  ["2024-03-05", "2024-03-05 07:08:09Z", "2024-03-05T07:08Z", "2024-3-5T07:08:09Z", "2024-03-05T07:08:09.Z", "2024-03-05T07:08:09+1",
   "2024-03-05T07:08:09+24:00", "2024-03-05T07:08:09Zx", "2024-13-05T07:08:09Z", "2024-03-05T25:08:09Z", ""].each do |text|
    assert_raise(ArgumentError) { Time.iso8601(text) }
  end
end

test "mail" do
  assert_equal 1_709_622_489, Time.rfc2822("5 Mar 2024 08:08:09 +0100").to_i
  assert_equal 1_709_622_480, Time.rfc2822("Tue, 5 Mar 24 02:08 EST (somewhere)").to_i
  ["", "5 Mar 2024", "5 Mar 2024 08:08:09", "5 Mar 2024 08:08:09 CEST2", "5 Foo 2024 08:08:09 Z"].each do |text|
    assert_raise(ArgumentError) { Time.rfc2822(text) }
  end
end

test "Time.parse" do
  { "2024-03-05 07:08:09 UTC" => 1_709_622_489, "2024-03-05T07:08:09Z" => 1_709_622_489, "2024-03-05 08:08:09" => 1_709_622_489,
    "2024-03-05 08:08:09 CET" => 1_709_622_489, "20240305T070809Z" => 1_709_622_489, "20240305070809Z" => 1_709_622_489,
    "Tue, 05 Mar 2024 07:08:09 GMT" => 1_709_622_489, "Tue Mar  5 08:08:09 2024" => 1_709_622_489, "Tue Mar 05 2024 08:08:09 GMT+0100 (CET)" => 1_709_622_489,
    "Thu Nov 29 14:33:20 2001 GMT" => 1_007_044_400, "March 5, 2024 7:08:09 am UTC" => 1_709_622_489, "5th March 2024 07:08:09.5 Z" => 1_709_622_489,
    "2024/03/05 08:08:09" => 1_709_622_489, "05.03.2024 08:08:09" => 1_709_622_489, "2024-065T07:08:09Z" => 1_709_622_489,
    "2024-03-05" => 1_709_593_200, "05-Mar-24" => 1_709_593_200, "Mar 5 2024" => 1_709_593_200, "2024-03" => 1_709_247_600,
    "12/31/1999 x" => nil, "2024-03-05 07:08:09 XYZ" => nil, "2024-03-05 7:8" => nil, "hello" => nil, "" => nil, "2024-03-05 07:08:09Z Z" => nil,
    "2024-02-30T00:00:00Z" => 1_709_251_200, "2024-03-32" => nil, "2024-13-01" => nil, "1:2:3:4" => nil, "25:00" => nil, "(" => nil,
    "10:00 (" => nil, "13 pm" => nil, "\0" => nil, "2024-03-05\0" => nil, "-" => nil, "99999999999999999999" => nil }.each do |text, seconds|
    if seconds
      assert_equal [text, seconds], [text, Time.parse(text).to_i]
    else
      assert_raise(ArgumentError) { raise "#{text} is #{Time.parse(text)}" }
    end
  end
end

test "what a text leaves open" do
  now = Time.at(1_709_622_489)
  assert_equal "2024-03-05 10:20:00 +0100", Time.parse("10:20", now).to_s
  assert_equal "2024-03-05 15:00:00 +0100", Time.parse("3pm", now).to_s
  assert_equal "2024-01-05 00:00:00 +0100", Time.parse("Jan 5", now).to_s
  assert_equal "2024-03-17 00:00:00 +0100", Time.parse("17", now).to_s
  assert_equal "2023-01-01 00:00:00 +0100", Time.parse("Jan 2023", now).to_s
  assert_equal Time.now.year, Time.parse("Jan 5").year
end

test "Time.strptime" do
  assert_equal "2024-03-05 08:08:09 +0100", Time.strptime("05/Mar/2024:08:08:09 +0100", "%d/%b/%Y:%H:%M:%S %z").to_s
  assert_equal "2024-03-05 07:08:09 UTC", Time.strptime("2024-03-05T07:08:09Z", "%FT%T%z").to_s
  assert_equal 123_456, Time.strptime("1709622489.123456", "%s.%N").usec
  assert_equal 500_000, Time.strptime("2024-03-05 1.5", "%F %S.%N").usec
  assert_equal 1_709_622_489, Time.strptime("1709622489500", "%Q").to_i
  assert_equal 22, Time.strptime("10 PM", "%I %p").hour
  [["x", "%d"], ["32", "%d"], ["10", "%d %m"], ["a", "b"], ["2024-13", "%Y-%m"], ["x", "x"], ["", "%"], ["1", "%K"], ["2023-366", "%Y-%j"]].each do |text, format|
    assert_raise(ArgumentError) { Time.strptime(text, format) }
  end
end

test "times that are out of range" do
  ["%Y", "%c", "%s"].each { |format| assert_equal String, Time.gm(9999, 12, 31).strftime(format).class }
  assert_raise(ArgumentError) { Time.iso8601("999999999-01-01T00:00:00Z") }
  assert_equal 253_402_300_799, Time.iso8601("9999-12-31T23:59:59Z").to_i
end
