# SPDX-License-Identifier: Apache-2.0
#
# What the client gets, by the names of Rack::Response.

module Bench
  class Response
    def <<(text)
      write(text)
      self
    end

    def content_type
      headers["Content-Type"]
    end

    def content_type=(type)
      headers["Content-Type"] = type
    end

    def content_length
      length = headers["Content-Length"]
      length && length.to_i
    end

    def [](name)
      headers[name]
    end
    alias get_header []

    def []=(name, value)
      headers[name] = value
    end
    alias set_header []=

    def add_header(name, value)
      headers.add(name, value) unless value.nil?
      headers[name]
    end

    def delete_header(name)
      headers.delete(name)
    end

    def has_header?(name)
      headers.key?(name)
    end

    def location
      headers["Location"]
    end

    def location=(url)
      headers["Location"] = url
    end

    # A cookie: a String, or a Hash with value: and any of path: domain: max_age: expires: secure:
    # httponly: same_site:.
    def set_cookie(name, value)
      headers.add("Set-Cookie", Cookie.text(name, value))
      nil
    end

    # Tells the client to forget a cookie; path: and domain: as they were when it was set.
    # What was set for it before in this response is taken back.
    def delete_cookie(name, value = {})
      kept = Cookie.without(headers.get_all("Set-Cookie"), name, value)
      headers.delete("Set-Cookie")
      kept.each { |cookie| headers.add("Set-Cookie", cookie) }
      set_cookie(name, { value: "", path: nil, domain: nil, max_age: "0", expires: Time.at(0) }.merge(value))
    end

    def redirect(url, status = 302)
      self.status = status
      self.location = url
      self
    end

    # Ends the script; httpd serves another path of this server in its place.
    def internal_redirect(uri)
      __redirect_to(uri)
      raise Halt
    end

    # httpd's answer for what does not exist.  Ends the script.
    def not_found
      self.status = 404
      error_document!
      raise Halt
    end

    # Ends the script; what was written is the response.
    def finish
      raise Halt
    end

    # A tag in quotes; weak: true for one that stands for the same meaning, not the same bytes.
    def set_etag(tag, weak: false)
      headers["ETag"] = weak ? "W/\"#{tag}\"" : "\"#{tag}\""
    end

    def etag
      headers["ETag"]
    end

    # tag: quoted already ("abc" or W/"abc" with the quotes), or plain text, which gets them.
    def etag=(tag)
      tag.end_with?('"') ? headers["ETag"] = tag : set_etag(tag)
    end

    def last_modified=(time)
      headers["Last-Modified"] = time.respond_to?(:httpdate) ? time.httpdate : time.to_s
    end

    def last_modified
      headers["Last-Modified"]
    end

    def ok?
      status == 200
    end

    def successful?
      status >= 200 && status < 300
    end

    def redirection?
      status >= 300 && status < 400
    end

    def client_error?
      status >= 400 && status < 500
    end

    def server_error?
      status >= 500
    end

    def inspect
      "#<Bench::Response #{status}>"
    end
  end

  module Cookie
    SAME_SITE = { none: "None", lax: "Lax", strict: "Strict", true => "Strict" }

    def self.text(name, value)
      options = value.is_a?(Hash) ? value : { value: value }
      values = options[:value].is_a?(Array) ? options[:value] : [options[:value]]
      text = "#{escape(name)}=#{values.map { |one| escape(one) }.join('&')}"
      text << "; domain=#{options[:domain]}" if options[:domain]
      text << "; path=#{options[:path]}" if options[:path]
      text << "; max-age=#{options[:max_age]}" if options[:max_age]
      text << "; expires=#{date(options[:expires])}" if options[:expires]
      text << "; secure" if options[:secure]
      text << "; HttpOnly" if options.key?(:httponly) ? options[:httponly] : options[:http_only]
      text << same_site(options[:same_site])
    end

    # Those of the cookies that are not this one; domain: and path: count if they are given.
    def self.without(cookies, name, value)
      wanted = [["domain", value[:domain]], ["path", value[:path]]].reject { |_, one| one.nil? }
      cookies.reject do |cookie|
        parts = cookie.split(";").map(&:strip)
        parts[0].start_with?("#{escape(name)}=") && wanted.all? { |key, one| parts.include?("#{key}=#{one}") }
      end
    end

    def self.escape(value)
      URI.encode_www_form_component(value.to_s)
    end

    def self.date(time)
      time.respond_to?(:httpdate) ? time.httpdate : time.to_s
    end

    def self.same_site(value)
      return "" unless value
      known = SAME_SITE[value.is_a?(String) ? value.downcase.to_sym : value == true ? true : value.to_s.downcase.to_sym]
      raise ArgumentError, "not a SameSite value: #{value.inspect}" unless known
      "; SameSite=#{known}"
    end
  end
end

module Kernel
  # Ends the script with this response.  What is nil stays as it was set before.
  def halt(status = nil, headers = nil, body = nil)
    response.status = status if status
    headers.each { |name, value| response.headers[name] = value } if headers
    if body
      response.reset
      body.respond_to?(:each) ? body.each { |part| response.write(part) } : response.write(body)
    end
    raise Bench::Halt
  end
end
