# SPDX-License-Identifier: Apache-2.0
#
# A small set of middleware, by the names and with the arguments of Rack's.

module Rack
  # A body that another one is passed through.
  class BodyProxy
    def initialize(body, &at_close)
      @body = body
      @at_close = at_close
      @closed = false
    end

    def each(&block)
      @body.each(&block)
    end

    def close
      return if @closed
      @closed = true
      @body.close if @body.respond_to?(:close)
    ensure
      @at_close.call if @at_close
      @at_close = nil
    end

    def closed?
      @closed
    end
  end

  # A response to HEAD has no body.
  class Head
    def initialize(app)
      @app = app
    end

    def call(env)
      status, headers, body = @app.call(env)
      return [status, headers, body] unless env["REQUEST_METHOD"] == "HEAD"
      body.close if body.respond_to?(:close)
      [status, headers, []]
    end
  end

  class ContentLength
    def initialize(app)
      @app = app
    end

    def call(env)
      status, headers, body = @app.call(env)
      named = headers.any? { |name, _| ["content-length", "transfer-encoding"].include?(name.downcase) }
      if body.is_a?(Array) && !named && ![204, 304].include?(status.to_i)
        headers = headers.merge("content-length" => body.inject(0) { |sum, part| sum + part.bytesize }.to_s)
      end
      [status, headers, body]
    end
  end

  class ContentType
    def initialize(app, type = "text/html")
      @app = app
      @type = type
    end

    def call(env)
      status, headers, body = @app.call(env)
      named = headers.any? { |name, _| name.downcase == "content-type" }
      headers = headers.merge("content-type" => @type) unless named || [204, 304].include?(status.to_i)
      [status, headers, body]
    end
  end

  # A tag for each body that is whole; httpd's own conditions do the rest.
  class ETag
    def initialize(app, no_cache = nil, cache = "max-age=0, private, must-revalidate")
      @app = app
      @no_cache = no_cache
      @cache = cache
    end

    def call(env)
      status, headers, body = @app.call(env)
      names = headers.map { |name, _| name.downcase }
      if body.is_a?(Array) && [200, 201].include?(status.to_i) && !names.include?("etag") && !names.include?("last-modified")
        tag = Digest::SHA256.hexdigest(body.join)[0, 32]
        headers = headers.merge("etag" => "W/\"#{tag}\"")
        headers["cache-control"] = @cache if @cache && !names.include?("cache-control")
      end
      [status, headers, body]
    end
  end

  # A POST may say that it means another method.
  class MethodOverride
    METHODS = %w[GET HEAD PUT POST DELETE OPTIONS PATCH LINK UNLINK]

    def initialize(app)
      @app = app
    end

    def call(env)
      if env["REQUEST_METHOD"] == "POST"
        method = (in_form(env) || env["HTTP_X_HTTP_METHOD_OVERRIDE"]).to_s.upcase
        if METHODS.include?(method)
          env["rack.methodoverride.original_method"] = "POST"
          env["REQUEST_METHOD"] = method
        end
      end
      @app.call(env)
    end

    private

    # A form that cannot be read says nothing.
    def in_form(env)
      Request.new(env).POST["_method"]
    rescue Bench::Params::Error => e
      env["rack.errors"].puts("Rack::MethodOverride: #{e.message}")
      nil
    end
  end

  # How long the application took, in seconds, in a header.
  class Runtime
    def initialize(app, name = nil)
      @app = app
      @name = name ? "x-runtime-#{name.downcase}" : "x-runtime"
    end

    def call(env)
      begin_at = Time.now
      status, headers, body = @app.call(env)
      headers = { @name => sprintf("%0.6f", Time.now - begin_at) }.merge(headers)
      [status, headers, body]
    end
  end

  # A line for each request to the error log, as httpd's own access log has it.
  class CommonLogger
    def initialize(app, logger = nil)
      @app = app
      @logger = logger
    end

    def call(env)
      begin_at = Time.now
      status, headers, body = @app.call(env)
      length = body.is_a?(Array) ? body.inject(0) { |sum, part| sum + part.bytesize } : "-"
      query = env["QUERY_STRING"].to_s.empty? ? "" : "?#{env['QUERY_STRING']}"
      line = "#{env['REMOTE_ADDR']} - #{env['REMOTE_USER'] || '-'} \"#{env['REQUEST_METHOD']} " \
             "#{env['SCRIPT_NAME']}#{env['PATH_INFO']}#{query} #{env['SERVER_PROTOCOL']}\" " \
             "#{status} #{length} #{sprintf('%0.4f', Time.now - begin_at)}"
      @logger ? @logger.write("#{line}\n") : Bench.log.info(line)
      [status, headers, body]
    end
  end

  # Files below a directory, through httpd's sendfile.
  class Static
    # urls: beginnings of paths, or a Hash of path => file; root: the directory.
    def initialize(app, options = {})
      @app = app
      @urls = options[:urls] || ["/favicon.ico"]
      @root = options[:root] || "."
      @index = options[:index]
    end

    def call(env)
      path = URI.decode_uri_component(env["PATH_INFO"])
      file = file_for(path) if %w[GET HEAD].include?(env["REQUEST_METHOD"])
      return @app.call(env) unless file
      return not_found if path.include?("\0") || path.split("/").include?("..")
      full = "#{@root}/#{file}"
      File.file?(full) ? [200, {}, FileBody.new(full)] : not_found
    end

    private

    def file_for(path)
      return @urls[path] if @urls.is_a?(Hash)
      return nil unless @urls.any? { |url| path.start_with?(url) }
      @index && path.end_with?("/") ? path + @index : path
    end

    def not_found
      [404, { "content-type" => "text/plain" }, ["Not Found\n"]]
    end

    class FileBody
      def initialize(path)
        @path = path
      end

      def to_path
        @path
      end

      def each
        File.open(@path, "rb") do |file|
          while (piece = file.read(65_536))
            yield piece
          end
        end
      end
    end
  end

  module Auth
    # The block gets user and password, and says whether they are right.
    class Basic
      attr_accessor :realm

      def initialize(app, realm = nil, &authenticator)
        @app = app
        @realm = realm || "Restricted"
        @authenticator = authenticator
      end

      def call(env)
        user, password = credentials(env["HTTP_AUTHORIZATION"])
        return unauthorized unless user && @authenticator.call(user, password)
        env["REMOTE_USER"] = user
        @app.call(env)
      end

      private

      def credentials(header)
        scheme, text = (header || "").split(" ", 2)
        return nil unless scheme && scheme.downcase == "basic" && text
        user, password = Base64.decode64(text).split(":", 2)
        [user, password || ""]
      end

      def unauthorized
        [401, { "content-type" => "text/plain", "www-authenticate" => "Basic realm=\"#{@realm}\"" }, []]
      end
    end
  end
end
