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

# Calls of Rack::Response's methods that set headers, each [method, argument...]; then the headers.
def response(calls)
  response = Rack::Response.new
  calls.each { |name, *arguments| response.__send__(name, *arguments.map { |one| rubyish(one) }) }
  response.headers.reject { |name, _| name == "Content-Length" }.sort.map { |name, text| "#{name}: #{text}" }.join("\n")
end

# JSON has no symbols and no times: ":lax" is a symbol, the number after expires a time.
def rubyish(value)
  case value
  when Hash
    value.to_h { |name, one| [name.to_sym, name == "expires" && one ? Time.at(one) : rubyish(one)] }
  when Array then value.map { |one| rubyish(one) }
  when /\A:/ then value[1..].to_sym
  when String then bytes(value)
  else value
  end
end

def answer(question)
  case question.fetch("ask")
  when "version" then Rack.release
  when "helpers" then Asked.helpers(request(question))
  when "response" then Asked.answer { response(question.fetch("calls")) }
  else Asked.one(request(question), question.fetch("ask"))
  end
end

$stdout.sync = true
$stdin.each_line { |line| puts JSON.generate(answer(JSON.parse(line))) }
