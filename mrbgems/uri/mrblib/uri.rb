# SPDX-License-Identifier: Apache-2.0

module URI
  class Error < StandardError; end
  class InvalidURIError < Error; end
  class InvalidComponentError < Error; end
  class BadURIError < Error; end

  def self.parse(text)
    parts = split(text)
    class_for(parts[0]).new(*parts)
  end

  def self.join(first, *rest)
    rest.inject(URI(first)) { |base, reference| base.merge(reference) }
  end

  def self.encode_www_form(pairs)
    pairs.map do |name, value|
      name = encode_www_form_component(name)
      if value.nil?
        name
      elsif value.is_a?(Array)
        value.map { |v| v.nil? ? name : "#{name}=#{encode_www_form_component(v)}" }.join("&")
      else
        "#{name}=#{encode_www_form_component(value)}"
      end
    end.join("&")
  end

  def self.class_for(scheme)
    case scheme && scheme.downcase
    when "http" then HTTP
    when "https" then HTTPS
    else Generic
    end
  end

  class Generic
    def self.build(parts)
      uri = new(parts[:scheme] || (self != Generic && name.split("::").last.downcase),
                nil, nil, nil, nil, nil, parts[:opaque], nil, nil)
      [:userinfo, :hostname, :port, :path, :query, :fragment].each do |name|
        value = parts[name == :hostname ? :host : name]
        uri.__send__(:"#{name}=", value) if value
      end
      uri
    end

    def initialize(scheme, userinfo, host, port, registry, path, opaque, query, fragment, *)
      @scheme = scheme ? scheme.downcase : nil
      @user, @password = userinfo.split(":", 2) if userinfo
      @host = host
      @port = port.nil? || port == "" ? default_port : port.to_i
      @opaque = opaque
      @path = opaque ? path : path || ""
      self.query = query
      self.fragment = fragment
    end

    def scheme
      @scheme
    end

    def user
      @user
    end

    def password
      @password
    end

    def host
      @host
    end

    def port
      @port
    end

    def path
      @path
    end

    def opaque
      @opaque
    end

    def query
      @query
    end

    def fragment
      @fragment
    end

    def userinfo
      @user && @password ? "#{@user}:#{@password}" : @user
    end

    # An IPv6 address without its brackets.
    def hostname
      @host && @host.start_with?("[") ? @host[1..-2] : @host
    end

    def default_port
      case @scheme
      when "http", "ws" then 80
      when "https", "wss" then 443
      when "ftp" then 21
      when "ldap" then 389
      when "ldaps" then 636
      end
    end

    def scheme=(value)
      __check(:scheme, value)
      @scheme = value && value.downcase
    end

    def userinfo=(value)
      return unless value

      __check(:userinfo, value, "userinfo")
      @user, password = value.split(":", 2)
      @password = password if password
    end

    def user=(value)
      __check(:userinfo, value, "user")
      @user = value
    end

    def password=(value)
      __check(:userinfo, value, "password")
      @password = value
    end

    def host=(value)
      __check(:host, value, "host")
      @host = value
    end

    def hostname=(value)
      self.host = value && value.include?(":") && !value.start_with?("[") ? "[#{value}]" : value
    end

    def port=(value)
      __check(:port, value.to_s, "port")
      @port = value.to_s == "" ? nil : value.to_i
    end

    def path=(value)
      __check(:path, value, "path")
      if @scheme && @scheme != "ftp" && value && value != "" && value[0] != "/"
        raise InvalidComponentError, "bad component(expected path component): #{value}"
      end

      @path = value
    end

    def opaque=(value)
      if value && (@host || @port || @user || @path)
        raise InvalidURIError, "can not set opaque with host, port, userinfo or path"
      end

      @opaque = value
    end

    def query=(value)
      raise InvalidURIError, "query conflicts with opaque" if value && @opaque

      @query = value && (URI.__clean(value, true) || raise(InvalidURIError, "invalid percent escape"))
    end

    def fragment=(value)
      @fragment = value && URI.__clean(value, false)
    end

    # What a request for it asks for.
    def request_uri
      return unless @path

      target = @query ? "#{@path}?#{@query}" : @path
      target.start_with?("/") ? target : "/" + target
    end

    def authority
      @port == default_port ? @host : "#{@host}:#{@port}"
    end

    def origin
      "#{@scheme}://#{authority}"
    end

    def absolute?
      @scheme ? true : false
    end
    alias absolute absolute?

    def relative?
      !absolute?
    end

    def hierarchical?
      @path ? true : false
    end

    def normalize
      dup.normalize!
    end

    def normalize!
      @path = "/" if @path == ""
      @host = @host.downcase if @host
      self
    end

    # The URI that a reference stands for in a document that this is the URI of.
    def merge(reference)
      reference = URI(reference)
      return reference if reference.absolute?

      raise BadURIError, "both URI are relative" unless absolute?

      dup.__refer(reference)
    end
    alias + merge

    def __refer(reference)
      if reference.host || reference.userinfo || reference.port
        @user = reference.user
        @password = reference.password
        @host = reference.host
        @port = reference.port || default_port
        @path = reference.path
      elsif reference.path != ""
        @path = __resolve(reference.path) if @path
      elsif !reference.query
        @fragment = reference.fragment if reference.fragment
        return self
      end
      @query = reference.query
      @fragment = reference.fragment
      self
    end

    # RFC 3986, 5.2.3 and 5.2.4.
    def __resolve(path)
      path = "#{@path[0, @path.rindex("/") || 0]}/#{path}" unless path.start_with?("/")
      kept = []
      segments = path.split("/", -1)
      segments.each do |segment|
        if segment == ".."
          kept.pop if kept.size > 1
        elsif segment != "."
          kept << segment
        end
      end
      kept << "" if [".", ".."].include?(segments.last)
      kept == [""] ? "/" : kept.join("/")
    end

    def to_s
      text = @scheme ? "#{@scheme}:" : ""
      if @opaque
        text += @opaque
      else
        text += "//" if @host || @scheme == "file"
        text += "#{userinfo}@" if userinfo
        text += @host if @host
        text += ":#{@port}" if @port && @port != default_port
        text += @path if @path
        text += "?#{@query}" if @query
      end
      text += "##{@fragment}" if @fragment
      text
    end
    alias to_str to_s

    def inspect
      "#<#{self.class} #{self}>"
    end

    def ==(other)
      other.class == self.class && other.normalize.__parts == normalize.__parts
    end

    def eql?(other)
      other.class == self.class && other.__parts.eql?(__parts)
    end

    def hash
      __parts.hash
    end

    def __parts
      [@scheme, userinfo, @host, @port, @path, @opaque, @query, @fragment]
    end

    def __check(component, value, name = "scheme")
      raise InvalidURIError, "can not set #{name} with registry or opaque" if value && @opaque
      unless value.nil? || URI.__component?(component, value)
        raise InvalidComponentError, "bad component(expected #{name} component): #{value}"
      end
    end
  end

  class HTTP < Generic; end
  class HTTPS < HTTP; end
end

module Kernel
  def URI(text)
    return text if text.is_a?(URI::Generic)
    return URI.parse(text) if text.is_a?(String)

    raise ArgumentError, "bad argument (expected URI object or URI string)"
  end
end
