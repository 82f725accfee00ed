# SPDX-License-Identifier: Apache-2.0
use Rack::ContentType, "text/plain; charset=utf-8"
use Rack::Head

map "/cart" do
  run ->(env) { [200, {}, ["Your cart is empty.\n"]] }
end

run do |env|
  known = ["", "/"].include?(env["PATH_INFO"])
  [known ? 200 : 404, {}, [known ? "Welcome. #{env["SCRIPT_NAME"]}/cart is your cart.\n" : "Nothing here.\n"]]
end
