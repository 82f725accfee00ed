# SPDX-License-Identifier: Apache-2.0
#
# Rack::Lint: checks that the server gives what the specification promises, and that the application
# answers as it must.  For tests and development: `use Rack::Lint`.

module Rack
  class Lint
    class LintError < RuntimeError
    end

    def initialize(app)
      @app = app
    end

    def call(env = nil)
      check_env(env)
      input = Input.new(env["rack.input"])
      env["rack.input"] = input
      response = @app.call(env)
      want(response.respond_to?(:to_a) && response.to_a.size == 3, "response #{response.inspect} is not an Array of three")
      status, headers, body = response.to_a
      check_status(status)
      check_headers(headers)
      check_content(status.to_i, headers, body)
      [status, headers, Body.new(body, env["REQUEST_METHOD"] == "HEAD")]
    end

    def self.want(holds, message)
      raise LintError, message unless holds
    end

    private

    def want(holds, message)
      Lint.want(holds, message)
    end

    # ---- the server's part ----

    STRINGS = %w[REQUEST_METHOD SERVER_NAME SERVER_PORT SERVER_PROTOCOL QUERY_STRING SCRIPT_NAME PATH_INFO rack.url_scheme]
    REQUIRED = %w[REQUEST_METHOD SERVER_NAME QUERY_STRING rack.input rack.errors rack.url_scheme rack.multithread
                  rack.multiprocess rack.run_once rack.version]

    def check_env(env)
      want(env.is_a?(Hash) && !env.frozen?, "env is not a Hash that can be changed")
      REQUIRED.each { |name| want(env.key?(name), "env has no #{name}") }
      STRINGS.each { |name| want(env[name].is_a?(String), "env's #{name} is not a String: #{env[name].inspect}") }
      env.each do |name, value|
        want(name.is_a?(String), "env has the key #{name.inspect}")
        next if name.include?(".")
        want(value.is_a?(String), "env's #{name} is not a String: #{value.inspect}")
      end
      want(!env.key?("HTTP_CONTENT_TYPE") && !env.key?("HTTP_CONTENT_LENGTH"), "env has HTTP_CONTENT_TYPE or HTTP_CONTENT_LENGTH")
      check_url(env)
      check_streams(env)
    end

    def check_url(env)
      want(%w[http https].include?(env["rack.url_scheme"]), "rack.url_scheme is #{env['rack.url_scheme'].inspect}")
      want(token?(env["REQUEST_METHOD"]), "REQUEST_METHOD is #{env['REQUEST_METHOD'].inspect}")
      script = env["SCRIPT_NAME"]
      path = env["PATH_INFO"]
      want(script.empty? || script.start_with?("/"), "SCRIPT_NAME is #{script.inspect}")
      want(script != "/", "SCRIPT_NAME is / and must be empty")
      want(path.empty? || path.start_with?("/") || path == "*", "PATH_INFO is #{path.inspect}")
      want(!script.empty? || !path.empty?, "SCRIPT_NAME and PATH_INFO are both empty")
      want(digits?(env["SERVER_PORT"]), "SERVER_PORT is #{env['SERVER_PORT'].inspect}")
      length = env["CONTENT_LENGTH"]
      want(length.nil? || digits?(length), "CONTENT_LENGTH is #{length.inspect}")
      version = env["rack.version"]
      want(version.is_a?(Array) && version.all? { |part| part.is_a?(Integer) }, "rack.version is #{version.inspect}")
    end

    def check_streams(env)
      [:gets, :each, :read, :rewind].each do |name|
        want(env["rack.input"].respond_to?(name), "rack.input does not respond to #{name}")
      end
      [:puts, :write, :flush].each do |name|
        want(env["rack.errors"].respond_to?(name), "rack.errors does not respond to #{name}")
      end
    end

    # ---- the application's part ----

    def check_status(status)
      want(status.respond_to?(:to_i) && status.to_i >= 100, "status #{status.inspect} is not an Integer of 100 or more")
    end

    def check_headers(headers)
      want(headers.respond_to?(:each), "headers #{headers.inspect} do not respond to each")
      headers.each do |name, value|
        want(name.is_a?(String), "header name #{name.inspect} is not a String")
        next if name.start_with?("rack.")
        want(token?(name), "header name #{name.inspect} is not a token")
        want(name.downcase != "status", "headers have a Status")
        [*value].each do |text|
          want(text.is_a?(String), "the value of header #{name} is not a String: #{text.inspect}")
          want(text.bytes.none? { |byte| byte < 32 && byte != 9 && byte != 10 }, "the value of header #{name} has control characters: #{text.inspect}")
        end
      end
    end

    def check_content(status, headers, body)
      want([:each, :call, :to_path].any? { |name| body.respond_to?(name) }, "body #{body.inspect} does not respond to each or call")
      return unless status < 200 || [204, 304].include?(status)
      headers.each do |name, _|
        want(!%w[content-type content-length].include?(name.downcase), "status #{status} has a #{name}")
      end
    end

    def token?(text)
      !text.empty? && text.bytes.all? { |byte| byte > 32 && byte < 127 && !"()<>@,;:\\\"/[]?={}".include?(byte.chr) }
    end

    def digits?(text)
      !text.empty? && text.bytes.all? { |byte| byte >= 48 && byte <= 57 }
    end

    class Input
      def initialize(input)
        @input = input
      end

      def read(*arguments)
        length, buffer = arguments
        Lint.want(arguments.size < 3, "rack.input#read with #{arguments.size} arguments")
        Lint.want(length.nil? || (length.is_a?(Integer) && length >= 0), "rack.input#read with length #{length.inspect}")
        Lint.want(buffer.nil? || buffer.is_a?(String), "rack.input#read with buffer #{buffer.inspect}")
        text = @input.read(*arguments)
        Lint.want(text.nil? || text.is_a?(String), "rack.input#read gave #{text.inspect}")
        Lint.want(!text.nil? || !length.nil?, "rack.input#read without length gave nil")
        text
      end

      def gets(*arguments)
        Lint.want(arguments.empty?, "rack.input#gets with arguments")
        text = @input.gets
        Lint.want(text.nil? || text.is_a?(String), "rack.input#gets gave #{text.inspect}")
        text
      end

      def each
        @input.each do |line|
          Lint.want(line.is_a?(String), "rack.input#each gave #{line.inspect}")
          yield line
        end
      end

      def rewind
        @input.rewind
      end

      def __parts(boundary)
        @input.__parts(boundary)
      end

      def close
        Lint.want(false, "rack.input#close must not be called")
      end
    end

    class Body
      def initialize(body, head)
        @body = body
        @head = head
        @closed = false
      end

      def respond_to?(name, all = false)
        case name
        when :each, :call, :to_path
          @body.respond_to?(name)
        when :to_a, :to_ary
          false
        else
          super
        end
      end

      def each
        Lint.want(!@closed, "the body is used after it was closed")
        @body.each do |part|
          Lint.want(part.is_a?(String), "the body gave #{part.inspect}, not a String")
          Lint.want(!@head || part.empty?, "the response to HEAD has a body")
          yield part
        end
      end

      def call(stream)
        @body.call(stream)
      end

      def to_path
        path = @body.to_path
        Lint.want(File.exist?(path), "to_path gave #{path.inspect}, which does not exist")
        path
      end

      def close
        Lint.want(!@closed, "the body is closed twice")
        @closed = true
        @body.close if @body.respond_to?(:close)
      end
    end
  end
end
