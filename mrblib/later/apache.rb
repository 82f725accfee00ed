# SPDX-License-Identifier: Apache-2.0
#
# Apache: the API of mod_mruby, over what src/api_apache.c and its neighbours define.  Loaded into an
# interpreter when a script names it.

class Apache
  def self.echo(object)
    rputs("#{object}\n")
  end

  # Apache.sleep is Kernel's.

  class Request
    def headers_in
      Headers_in.new(__part(:headers_in))
    end

    def headers_out
      Headers_out.new(__part(:headers_out))
    end

    def notes
      Notes.new(__part(:notes))
    end

    def finfo
      __part(:finfo)
    end

    # All of it, however often it is asked for; nil where a request has none.
    def body
      input = __part(:body)
      input.rewind
      text = input.read
      input.rewind
      return text unless text.empty?
      in_header = __part(:headers_in)
      text if method == "POST" || in_header["Content-Length"] || in_header["Transfer-Encoding"]
    end

    # Has mod_proxy answer, once this script has ended.
    def reverse_proxy(path)
      raise Bench::Error, "reverse_proxy needs mod_proxy, which is not loaded" unless __has_proxy?
      self.handler = "proxy-server"
      self.proxyreq = PROXYREQ_REVERSE
      self.filename = "proxy:#{path}"
    end
  end

  # What Notes and its relatives have in common.
  class Table
    def initialize(table)
      @table = table
    end

    def [](name)
      @table[name.to_s]
    end

    def []=(name, value)
      @table[name.to_s] = value
    end

    def all
      @table.to_h
    end
  end

  class Notes < Table
    def initialize(table = Bench.request.notes)
      super
    end
  end

  class Env < Table
    def initialize(table = Bench.request.subprocess_env)
      super
      Apache.__fill_env
    end
  end

  class Headers_in < Table
    def initialize(table = Bench.request.headers)
      super
    end

    def []=(name, value)
      @table.__set(name.to_s, value)
    end

    def user_agent
      self["User-Agent"]
    end

    def referer
      self["Referer"]
    end
  end

  class Headers_out < Table
    def initialize(table = Bench.response.headers)
      super
    end

    # Cookies are added to those that there are.
    def []=(name, value)
      name = name.to_s
      return super unless name.downcase == "set-cookie" && !value.nil?
      @table.add("Set-Cookie", value)
      value
    end
  end

  class Server
    { error_fname: "ErrorLog", loglevel: "LogLevel", timeout: "Timeout" }.each do |name, directive|
      define_method(:"#{name}=") do |_|
        raise Bench::Error, "Apache::Server##{name}= would change the running server for every " \
                            "request: use #{directive} in the configuration"
      end
    end
  end

  class Filter
    def self.new(*)
      raise Bench::Error, "Apache::Filter belongs in the script of an output filter, and this is none"
    end
  end

  class AuthnProvider
    def self.new(*)
      raise Bench::Error, "Apache::AuthnProvider belongs in a script that checks passwords, and this is none"
    end
  end
end

Headers_in = Apache::Headers_in

module Rack
  def self.build_env(r, c)
    env = {
      "REQUEST_METHOD" => r.method,
      "SCRIPT_NAME" => "",
      "PATH_INFO" => r.uri,
      "REQUEST_URI" => r.unparsed_uri,
      "QUERY_STRING" => r.args || "",
      "SERVER_NAME" => r.hostname || Apache::Server.new.hostname,
      "SERVER_ADDR" => c.local_ip,
      "SERVER_PORT" => c.local_port.to_s,
      "REMOTE_ADDR" => c.remote_ip,
      "REMOTE_PORT" => c.remote_port.to_s,
      "rack.url_scheme" => r.scheme,
      "rack.input" => r.__part(:body),
      "server.name" => server_name,
      "server.version" => Apache.server_version
    }
    own = Bench.request.env
    %w[rack.errors rack.multithread rack.multiprocess rack.run_once rack.hijack?].each do |key|
      env[key] = own[key]
    end
    r.headers_in.all.each do |name, value|
      key = "HTTP_#{name.upcase.tr('-', '_')}"
      env[key] = value unless key == "HTTP_PROXY" # a program would take it for a setting
    end
    env
  end

  def self.build_response(r, result)
    status, headers, body = result
    unless headers.is_a?(Hash) || headers.is_a?(Array)
      raise TypeError, "the headers of a response are a Hash or an Array of pairs, not #{headers.inspect}"
    end
    unless body.is_a?(Array)
      raise TypeError, "the body of a response is an Array, not #{body.inspect}"
    end
    headers.each do |name, value|
      (value.is_a?(Array) ? value : [value]).each { |one| r.headers_out[name] = one.to_s }
    end
    Apache.return(status.to_i)
    body.each { |part| Apache.rputs(part.to_s) }
    status
  end
end

module Kernel
  Rack = ::Rack

  def server_name
    "Apache"
  end

  def get_server_class
    Apache
  end

  # Has a Rack application answer.
  def run(app)
    r = Apache::Request.new
    ::Rack.build_response(r, app.call(::Rack.build_env(r, Apache::Connection.new)))
  end
end
