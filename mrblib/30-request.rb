# SPDX-License-Identifier: Apache-2.0
#
# What a request says, by the names of Rack::Request.  RequestHelpers knows only a few methods of
# whoever includes it (request_method, script_name, path_info, query_string, get_header, body and
# the server's own names), so that `request` and Rack::Request share it.

module Bench
  module Params
    class Error < ClientError
    end

    class TypeError < Error
    end

    class InvalidError < Error
    end

    class LimitError < Error
    end

    class MalformedError < Error
    end

    class Upload < Hash
    end
  end

  module RequestHelpers
    FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"]
    OTHER_PART_TYPES = ["multipart/related", "multipart/mixed"]
    DEFAULT_PORTS = { "http" => 80, "https" => 443 }

    def get?
      request_method == "GET"
    end

    def head?
      request_method == "HEAD"
    end

    def post?
      request_method == "POST"
    end

    def put?
      request_method == "PUT"
    end

    def patch?
      request_method == "PATCH"
    end

    def delete?
      request_method == "DELETE"
    end

    def options?
      request_method == "OPTIONS"
    end

    def trace?
      request_method == "TRACE"
    end

    def link?
      request_method == "LINK"
    end

    def unlink?
      request_method == "UNLINK"
    end

    def xhr?
      get_header("HTTP_X_REQUESTED_WITH") == "XMLHttpRequest"
    end

    # ---- what the body is ----

    def content_type
      type = get_header("CONTENT_TYPE")
      type.nil? || type.empty? ? nil : type
    end

    def content_length
      get_header("CONTENT_LENGTH")
    end

    def media_type
      MediaType.type(content_type)
    end

    def media_type_params
      MediaType.params(content_type)
    end

    def content_charset
      media_type_params["charset"]
    end

    def form_data?
      type = media_type
      (type.nil? && post?) || FORM_TYPES.include?(type)
    end

    def parseable_data?
      OTHER_PART_TYPES.include?(media_type)
    end

    # ---- who is asked, and how ----

    def user_agent
      get_header("HTTP_USER_AGENT")
    end

    def referer
      get_header("HTTP_REFERER")
    end
    alias referrer referer

    def scheme
      return "https" if get_header("HTTPS") == "on" || get_header("HTTP_X_FORWARDED_SSL") == "on"
      forwarded_scheme || server_scheme
    end

    def ssl?
      scheme == "https"
    end

    def authority
      forwarded_authority || host_authority || server_authority
    end

    def host_authority
      get_header("HTTP_HOST")
    end

    def server_authority
      "#{server_name}:#{server_port}"
    end

    def forwarded_authority
      value = get_header("HTTP_X_FORWARDED_HOST")
      value && Authority.wrap(Authority.list(value).first)
    end

    def forwarded_for
      value = get_header("HTTP_X_FORWARDED_FOR")
      value && Authority.list(value).map { |one| Authority.split(Authority.wrap(one))[1] }
    end

    def forwarded_port
      value = get_header("HTTP_X_FORWARDED_PORT")
      value && Authority.list(value).map { |one| one.to_i }
    end

    def host_with_port(authority = self.authority)
      host, _, port = Authority.split(authority)
      port == DEFAULT_PORTS[scheme] ? host : authority
    end

    def host
      Authority.split(authority)[0]
    end

    # As host, without the brackets of an IPv6 address.
    def hostname
      Authority.split(authority)[1]
    end

    def port
      Authority.split(authority)[2] ||
        (forwarded_port && forwarded_port.first) ||
        DEFAULT_PORTS[scheme] || server_port
    end

    # The client's address: the last one that is not that of a proxy of ours.
    def ip
      outside = Authority.list(remote_addr).reject { |one| Authority.trusted?(one) }
      return outside.first unless outside.empty?
      forwarded = forwarded_for
      if forwarded && !forwarded.empty?
        return forwarded.reject { |one| Authority.trusted?(one) }.last || forwarded.first
      end
      remote_addr
    end

    def base_url
      "#{scheme}://#{host_with_port}"
    end

    def url
      base_url + fullpath
    end

    def fullpath
      query_string.empty? ? path : "#{path}?#{query_string}"
    end

    def accept_encoding
      Accept.parse(get_header("HTTP_ACCEPT_ENCODING"))
    end

    def accept_language
      Accept.parse(get_header("HTTP_ACCEPT_LANGUAGE"))
    end

    # ---- parameters ----

    def [](name)
      params[name.to_s]
    end

    def values_at(*names)
      names.map { |name| params[name] }
    end

    private

    def read_form
      boundary = Multipart.boundary(content_type)
      return Multipart.read(body, boundary) if boundary
      body.rewind
      text = body.read(Params.form_size + 2) || "" # more than that is refused
      body.rewind
      text = text.byteslice(0, text.bytesize - 1) if text.end_with?("\0")
      Params.query(text, "&")
    end

    def forwarded_scheme
      [get_header("HTTP_X_FORWARDED_SCHEME"),
       (get_header("HTTP_X_FORWARDED_PROTO") || "").split(",").first]
        .find { |one| DEFAULT_PORTS.key?(one) }
    end
  end

  # "text/html; charset=utf-8"
  module MediaType
    def self.pieces(text)
      text.tr(",", ";").split(";")
    end

    # "" for a text that begins with its parameters.
    def self.type(text)
      text && (pieces(text).first || "").rstrip.downcase
    end

    def self.params(text)
      return {} unless text
      (pieces(text)[1..-1] || []).each_with_object({}) do |piece, params|
        name, value = piece.strip.split("=", 2)
        next unless name
        params[name.downcase] = unquote(value || "")
      end
    end

    def self.unquote(text)
      text.start_with?('"') && text.end_with?('"') ? text[1...-1] || "" : text
    end
  end

  # "host:port", "[::1]:80"
  module Authority
    def self.list(text)
      text ? text.tr(" \t\r\n", ",").split(",").reject { |one| one.empty? } : []
    end

    def self.wrap(host)
      host && !host.start_with?("[") && host.count(":") > 1 ? "[#{host}]" : host
    end

    # [host, host without brackets, port or nil]
    def self.split(text)
      close = text.start_with?("[") ? text.index("]") : nil
      colon = text.index(":", close || 0)
      host = colon ? text[0...colon] : text
      port = colon ? text[colon + 1..-1] : nil
      plain = close ? host == text[0..close] : host?(host)
      return [text, text, nil] unless plain && (port.nil? || digits?(port))
      [host, close ? host[1...-1] : host, port && port.to_i]
    end

    def self.host?(text)
      !text.empty? && text.each_char.all? { |c| ("a".."z").include?(c.downcase) || "0123456789.-_".include?(c) }
    end

    def self.digits?(text)
      !text.empty? && text.each_char.all? { |c| "0123456789".include?(c) }
    end

    # Addresses that only a proxy of this site can have.
    def self.trusted?(ip)
      low = ip.downcase
      return true if ["127.0.0.1", "::1", "localhost", "unix"].include?(low)
      return true if low.start_with?("10.", "192.168.", "unix:") || ula?(low)
      second = low.start_with?("172.") ? low.split(".")[1].to_i : 0
      second >= 16 && second <= 31
    end

    def self.ula?(ip)
      ip.size > 5 && ip.start_with?("fd") && ip[4] == ":" && ip[2, 2].each_char.all? { |c| "0123456789abcdef".include?(c) }
    end
  end

  # "gzip;q=0.5, br"
  module Accept
    def self.parse(text)
      (text || "").split(",").map do |part|
        name, parameter = part.strip.split(";", 2)
        [name && name.strip, quality((parameter || "").strip)]
      end
    end

    def self.quality(text)
      digits = text.start_with?("q=") ? text[2..-1] : ""
      digits.empty? || !"0123456789.".include?(digits[0]) ? 1.0 : digits.to_f
    end
  end

  class Request
    include RequestHelpers

    def http_version
      protocol && protocol.split("/")[1]
    end

    # The parameters of the query, nested as their names say.
    def GET
      __keep(:@GET) { Params.query(query_string, "&;") }
    end

    # The parameters of the body, if it is a form.
    def POST
      __keep(:@POST) { form_data? || parseable_data? ? read_form : {} }
    end

    def params
      __keep(:@params) { self.GET.merge(self.POST) }
    end

    def cookies
      __keep(:@cookies) { Params.cookies(get_header("HTTP_COOKIE") || "") }
    end

    # What this server would answer to another of its URLs.
    def subrequest(uri, method = "GET")
      status, type, headers, body = __subrequest(method.to_s.upcase, uri.to_s)
      Subresponse.new(status, type, headers, method.to_s.upcase == "HEAD" ? "" : body)
    end

    def inspect
      "#<Bench::Request #{request_method} #{unparsed_uri}>"
    end
  end

  class Subresponse
    attr_reader :status, :headers, :body

    def initialize(status, type, headers, body)
      @status = status
      @headers = type ? { "Content-Type" => type } : {}
      headers.each { |name, value| @headers[name] = @headers.key?(name) ? "#{@headers[name]}, #{value}" : value }
      @body = body
    end

    def ok?
      @status == 200
    end

    def content_type
      @headers["Content-Type"]
    end

    alias to_s body
  end

  class Body
    include Enumerable

    def each
      while (line = gets)
        yield line
      end
      self
    end

    def close
      nil
    end
  end
end
