# SPDX-License-Identifier: Apache-2.0
#
# Rack::Request, Rack::Response and Rack::Utils, for applications and middleware.

module Rack
  module QueryParser
    ParameterTypeError = Bench::Params::TypeError
    InvalidParameterError = Bench::Params::InvalidError
    QueryLimitError = Bench::Params::LimitError
    ParamsTooDeepError = QueryLimitError
  end

  class Request
    include Bench::RequestHelpers

    attr_reader :env

    def initialize(env)
      @env = env
    end

    def request_method
      @env["REQUEST_METHOD"]
    end

    def script_name
      @env["SCRIPT_NAME"].to_s
    end

    def script_name=(name)
      @env["SCRIPT_NAME"] = name.to_s
    end

    def path_info
      @env["PATH_INFO"].to_s
    end

    def path_info=(path)
      @env["PATH_INFO"] = path.to_s
    end

    def path
      script_name + path_info
    end

    def query_string
      @env["QUERY_STRING"].to_s
    end

    def body
      @env["rack.input"]
    end

    def server_scheme
      @env["rack.url_scheme"]
    end

    def server_name
      @env["SERVER_NAME"]
    end

    def server_port
      @env["SERVER_PORT"] && @env["SERVER_PORT"].to_i
    end

    def remote_addr
      @env["REMOTE_ADDR"]
    end

    def multithread?
      @env["rack.multithread"]
    end

    def logger
      @env["rack.logger"]
    end

    def session
      @env["rack.session"] ||= {}
    end

    # ---- the environment ----

    def has_header?(name)
      @env.key?(name)
    end

    def get_header(name)
      @env[name]
    end

    def set_header(name, value)
      @env[name] = value
    end

    def fetch_header(name, &block)
      @env.fetch(name, &block)
    end

    def each_header(&block)
      @env.each(&block)
    end

    def add_header(name, value)
      return get_header(name) if value.nil?
      @env[name] = @env[name] ? "#{@env[name]},#{value}" : value
    end

    def delete_header(name)
      @env.delete(name)
    end

    # ---- parameters; kept in the environment, so that every Request of it sees the same ----

    def GET
      text = query_string
      if @env["rack.request.query_string"] != text
        @env["rack.request.query_hash"] = Bench::Params.query(text, "&;")
        @env["rack.request.query_string"] = text
      end
      @env["rack.request.query_hash"]
    end

    def POST
      raise "Missing rack.input" unless body
      return {} unless form_data? || parseable_data?
      unless @env["rack.request.form_input"].equal?(body)
        @env["rack.request.form_hash"] = read_form
        @env["rack.request.form_input"] = body
      end
      @env["rack.request.form_hash"]
    end

    def params
      @params ||= self.GET.merge(self.POST)
    end

    def update_param(name, value)
      found = [self.GET, self.POST].select { |hash| hash.key?(name) }
      found << self.GET if found.empty?
      found.each { |hash| hash[name] = value }
      @params = nil
    end

    def delete_param(name)
      posted = self.POST.delete(name)
      queried = self.GET.delete(name)
      @params = nil
      posted || queried
    end

    def cookies
      text = get_header("HTTP_COOKIE")
      if @env["rack.request.cookie_string"] != text || !@env["rack.request.cookie_hash"]
        @env["rack.request.cookie_string"] = text
        @env["rack.request.cookie_hash"] = Bench::Params.cookies(text || "")
      end
      @env["rack.request.cookie_hash"]
    end
  end

  # Header names without regard to case: they are kept in small letters.
  class Headers < Hash
    # mruby reads a Hash without calling [], and asks this for what is not there.
    def default(name = nil)
      small = name.is_a?(String) ? name.downcase : name
      small != name && key?(small) ? fetch(small) : nil
    end

    def []=(name, value)
      super(name.downcase, value)
    end
    alias store []=

    def key?(name)
      super(name.downcase)
    end
    alias has_key? key?
    alias include? key?
    alias member? key?

    def fetch(name, *default, &block)
      super(name.downcase, *default, &block)
    end

    def values_at(*names)
      names.map { |name| self[name] }
    end

    def delete(name)
      super(name.downcase)
    end

    def merge(*others)
      [self, *others].each_with_object(Headers.new) do |headers, merged|
        headers.each { |name, value| merged[name] = value }
      end
    end
  end

  class Response
    attr_accessor :status, :body
    attr_reader :headers

    def self.[](status, headers, body)
      new(body, status, headers)
    end

    def initialize(body = nil, status = 200, headers = {})
      @status = status.to_i
      @headers = Headers.new
      headers.each { |name, value| @headers[name] = value }
      @body = []
      @length = 0
      if body.respond_to?(:to_str)
        write(body.to_str)
      elsif body.is_a?(Array)
        body.each { |part| write(part) }
      elsif body
        @body = body
        @streamed = true
      end
      yield self if block_given?
    end

    def write(text)
      text = text.to_s
      raise IOError, "this body is not written to" if @streamed
      @body << text
      @length += text.bytesize
      text
    end

    def <<(text)
      write(text)
      self
    end

    def [](name)
      @headers[name]
    end
    alias get_header []

    def []=(name, value)
      @headers[name] = value
    end
    alias set_header []=

    def has_header?(name)
      @headers.key?(name)
    end

    def delete_header(name)
      @headers.delete(name)
    end

    def add_header(name, value)
      return @headers[name] if value.nil?
      @headers[name] = @headers[name] ? "#{@headers[name]},#{value}" : value.to_s
    end

    def content_type
      @headers["content-type"]
    end

    def content_type=(type)
      @headers["content-type"] = type
    end

    def content_length
      @headers["content-length"] && @headers["content-length"].to_i
    end

    def location
      @headers["location"]
    end

    def location=(url)
      @headers["location"] = url
    end

    def redirect(url, status = 302)
      @status = status
      self.location = url
      self
    end

    def set_cookie(name, value)
      Utils.set_cookie_header!(@headers, name, value)
    end

    def delete_cookie(name, value = {})
      Utils.delete_cookie_header!(@headers, name, value)
    end

    def cache_control
      @headers["cache-control"]
    end

    def cache_control=(value)
      @headers["cache-control"] = value
    end

    def etag
      @headers["etag"]
    end

    def etag=(value)
      @headers["etag"] = value
    end

    def finish(&block)
      if [204, 304].include?(@status)
        @headers.delete("content-type")
        @headers.delete("content-length")
        close
        return [@status, @headers, []]
      end
      @headers["content-length"] ||= @length.to_s unless @streamed || block
      [@status, @headers, @body]
    end
    alias to_a finish

    def close
      @body.close if @body.respond_to?(:close)
    end

    def empty?
      @body.respond_to?(:empty?) && @body.empty?
    end

    def ok?
      @status == 200
    end

    def not_found?
      @status == 404
    end

    def redirect?
      [301, 302, 303, 307, 308].include?(@status)
    end

    def successful?
      @status >= 200 && @status < 300
    end

    def client_error?
      @status >= 400 && @status < 500
    end

    def server_error?
      @status >= 500 && @status < 600
    end
  end

  module Utils
    HTTP_STATUS_CODES = {
      200 => "OK", 201 => "Created", 202 => "Accepted", 204 => "No Content", 206 => "Partial Content",
      301 => "Moved Permanently", 302 => "Found", 303 => "See Other", 304 => "Not Modified",
      307 => "Temporary Redirect", 308 => "Permanent Redirect", 400 => "Bad Request",
      401 => "Unauthorized", 403 => "Forbidden", 404 => "Not Found", 405 => "Method Not Allowed",
      409 => "Conflict", 410 => "Gone", 413 => "Payload Too Large", 415 => "Unsupported Media Type",
      422 => "Unprocessable Entity", 429 => "Too Many Requests", 500 => "Internal Server Error",
      501 => "Not Implemented", 502 => "Bad Gateway", 503 => "Service Unavailable"
    }

    def self.parse_query(text, separators = "&;")
      (text || "").tr(separators, "&").split("&").each_with_object({}) do |pair, params|
        next if pair.empty?
        name, value = pair.lstrip.split("=", 2).map { |part| unescape(part) }
        params[name] = params.key?(name) ? [params[name], value].flatten(1) : value
      end
    end

    def self.parse_nested_query(text, separators = "&;")
      Bench::Params.query(text || "", separators)
    end

    def self.build_query(params)
      params.map do |name, value|
        next build_query(value.map { |one| [name, one] }) if value.is_a?(Array)
        value.nil? ? escape(name) : "#{escape(name)}=#{escape(value)}"
      end.join("&")
    end

    def self.build_nested_query(value, prefix = nil)
      case value
      when Array
        value.map { |one| build_nested_query(one, "#{prefix}[]") }.join("&")
      when Hash
        value.map { |name, one| build_nested_query(one, prefix ? "#{prefix}[#{escape(name)}]" : escape(name)) }
             .reject(&:empty?).join("&")
      when nil
        prefix
      else
        raise ArgumentError, "value must be a Hash" unless prefix
        "#{prefix}=#{escape(value)}"
      end
    end

    def self.escape(text)
      URI.encode_www_form_component(text.to_s)
    end

    def self.unescape(text)
      URI.decode_www_form_component(text)
    end

    def self.escape_html(text)
      CGI.escapeHTML(text.to_s).gsub("&#39;", "&#x27;").gsub("/", "&#x2F;")
    end

    def self.parse_cookies_header(text)
      Bench::Params.cookies(text || "")
    end

    def self.parse_cookies(env)
      parse_cookies_header(env["HTTP_COOKIE"])
    end

    def self.set_cookie_header!(headers, name, value)
      cookie = Bench::Cookie.text(name, value)
      before = headers["set-cookie"]
      headers["set-cookie"] = before ? "#{before}\n#{cookie}" : cookie
      nil
    end

    def self.delete_cookie_header!(headers, name, value = {})
      kept = Bench::Cookie.without((headers["set-cookie"] || "").split("\n"), name, value)
      kept.empty? ? headers.delete("set-cookie") : headers["set-cookie"] = kept.join("\n")
      gone = { value: "", path: nil, domain: nil, max_age: "0", expires: Time.at(0) }
      set_cookie_header!(headers, name, gone.merge(value))
    end

    def self.status_code(status)
      status.is_a?(Integer) ? status : HTTP_STATUS_CODES.key(status.to_s.split("_").map(&:capitalize).join(" ")) || 500
    end

    def self.secure_compare(a, b)
      OpenSSL.secure_compare(a, b)
    end
  end
end
