# SPDX-License-Identifier: Apache-2.0
#
# Answers as CRuby's Rack does, one line of JSON for each line of JSON.  Bytes are characters below
# U+0100 in both directions.
#
#     {"ask": "helpers", "env": {"QUERY_STRING": "a=1"}, "body": ""} -> "GET: {...}\n..."
#     {"ask": "version"} -> "2.2.22"

require "json"
require "stringio"
require "rack"
require_relative "asked"

def bytes(text)
  text.encode("ISO-8859-1").b
end

def request(question)
  env = question.fetch("env").to_h { |name, value| [name, bytes(value)] }
  env["rack.url_scheme"] ||= "http"
  env["rack.input"] = StringIO.new(bytes(question.fetch("body")))
  Rack::Request.new(env)
end

# What the arguments of Rack::Response's methods are written as.
def set_cookies(calls)
  headers = {}
  calls.each { |name, *arguments| Rack::Utils.__send__(name, headers, *arguments.map { |one| rubyish(one) }) }
  headers["Set-Cookie"].to_s
end

def rubyish(value)
  return value unless value.is_a?(Hash)
  value.to_h do |name, one|
    [name.to_sym, name == "expires" && one.is_a?(Integer) ? Time.at(one) : one]
  end
end

def answer(question)
  case question.fetch("ask")
  when "version" then Rack.release
  when "helpers" then Asked.helpers(request(question))
  when "cookies=" then Asked.answer { set_cookies(question.fetch("calls")) }
  else Asked.one(request(question), question.fetch("ask"))
  end
end

$stdout.sync = true
$stdin.each_line { |line| puts JSON.generate(answer(JSON.parse(line))) }
