# SPDX-License-Identifier: Apache-2.0
# A Rack application with middleware.  This file runs once in each interpreter, the blocks at each request.
# Here it answers at /config.ru; BenchRack mounts it elsewhere.

# Middleware: is made with the next application, gets the env, returns the response.
class Greeter
  def initialize(app, text)
    @app = app
    @text = text
  end

  def call(env)
    status, headers, body = @app.call(env)
    [status, headers.merge("x-greeting" => @text), body]
  end
end

use Rack::Runtime
use Rack::ETag   # httpd answers 304 by it
use Rack::ContentType, "text/plain; charset=utf-8"
use Greeter, "hello"

map "/count" do
  run do |env|
    numbers = (1..10).lazy.map { |n| sleep 0.2; "#{n}\n" }
    [200, {}, numbers]   # what has each is sent as it comes
  end
end

map "/private" do
  use(Rack::Auth::Basic, "Private") do |user, password|
    user == "guest" && OpenSSL.secure_compare(password, "guest")
  end
  run ->(env) { [200, {}, ["Welcome, #{env["REMOTE_USER"]}.\n"]] }
end

run do |env|
  request = Rack::Request.new(env)
  here = request.script_name
  name = request.params["name"]
  [200, {}, ["Hello #{name.is_a?(String) ? name : "Rack"}.\n\n",
             "#{here}?name=You\n",
             "#{here}/count     one number after the other: curl -N\n",
             "#{here}/private   guest, guest\n"]]
end
