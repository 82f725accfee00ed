# SPDX-License-Identifier: Apache-2.0
#
# Rack: how a .ru file makes an application, and how a response that is more than Strings in an Array
# is sent.

module Rack
  VERSION = [1, 3]

  # The environment of a request: a Hash that gets its values when it is looked at.  One that is asked
  # for by [] is made then; whatever looks at more fills the Hash first.  (What mruby does with Hashes in
  # C without calling a method, {**env}, sees only what has been asked for: use env.to_h there.)
  class Env < Hash
    def each(&block)
      __fill
      super
    end
    alias each_pair each

    def key?(key)
      __fill
      super
    end
    alias has_key? key?
    alias include? key?
    alias member? key?

    def delete(key, &block)
      __fill
      super
    end

    def keys
      __fill
      super
    end

    def values
      __fill
      super
    end

    def size
      __fill
      super
    end
    alias length size

    def count(*arguments, &block)
      to_a.count(*arguments, &block)
    end

    def fetch(*arguments, &block)
      __fill
      super
    end

    def values_at(*keys)
      __fill
      super
    end

    def slice(*keys)
      __fill
      super
    end

    def to_a
      __fill
      super
    end

    # A plain Hash: of a copy nobody expects that it goes on changing.
    def to_h
      copy = {}
      each { |key, value| copy[key] = value }
      copy
    end
    alias to_hash to_h
    alias dup to_h
    alias clone to_h

    def merge(*others, &block)
      to_h.merge(*others, &block)
    end

    def inspect
      to_h.inspect # super would take this for a Hash that contains itself
    end
    alias to_s inspect

    def ==(other)
      to_h == other
    end
    alias eql? ==

    def shift
      __fill
      super
    end

    def clear
      __fill
      super
    end

    def replace(other)
      __fill
      super
    end

    def freeze
      __fill
      super
    end

    def value?(value)
      __fill
      super
    end
    alias has_value? value?

    def key(value)
      __fill
      super
    end
  end

  # self of a .ru file.
  class Builder
    def initialize(default = nil, &block)
      @use = []
      @map = nil
      @run = default
      @warmup = nil
      instance_eval(&block) if block
    end

    def self.app(default = nil, &block)
      new(default, &block).to_app
    end

    # A middleware: a class whose instances are made with the next application and the arguments.
    def use(middleware, *arguments, &block)
      if @map
        mapping = @map
        @map = nil
        @use << ->(app) { Builder.mapped(app, mapping) }
      end
      @use << ->(app) { middleware.new(app, *arguments, &block) }
    end

    # The application itself: whatever responds to call(env).
    def run(app = nil, &block)
      raise ArgumentError, "run takes an application or a block, not both" if app && block
      @run = app || block
    end

    # Another application below a path, or for "http://example.com/path".
    def map(path, &block)
      (@map ||= {})[path] = block
    end

    def warmup(&block)
      @warmup = block
    end

    def freeze_app
      self
    end

    def to_app
      app = @map ? Builder.mapped(@run, @map) : @run
      raise Bench::Error, "this Rack application has neither run nor map" unless app
      app = @use.reverse.inject(app) { |inner, wrap| wrap.call(inner) }
      @warmup.call(app) if @warmup
      app
    end

    def call(env)
      to_app.call(env)
    end

    def self.mapped(default, mapping)
      sites = {}
      sites["/"] = default if default
      mapping.each { |path, block| sites[path] = new(default, &block).to_app }
      URLMap.new(sites)
    end

    def to_s
      "main"
    end
    alias inspect to_s
  end

  # Applications by the beginning of the path; the longest that fits wins.
  class URLMap
    def initialize(map = {})
      sites = map.map do |location, app|
        host = nil
        if location.start_with?("http://", "https://")
          rest = location.split("://", 2)[1]
          host, path = rest.split("/", 2)
          location = "/#{path}"
        end
        raise ArgumentError, "a path to map begins with a slash: #{location}" unless location.start_with?("/")
        [host, location.chomp("/"), app]
      end
      @sites = sites.sort_by { |host, location, _| [-(host ? host.size : 0), -location.size] }
    end

    def call(env)
      path = env["PATH_INFO"]
      script = env["SCRIPT_NAME"]
      site = @sites.find { |host, location, _| fits?(host, env) && below?(location, path) }
      unless site
        return [404, { "content-type" => "text/plain", "x-cascade" => "pass" }, ["Not Found: #{path}\n"]]
      end
      _, location, app = site
      env["SCRIPT_NAME"] = script + location
      env["PATH_INFO"] = path[location.size..-1]
      app.call(env)
    ensure
      env["PATH_INFO"] = path
      env["SCRIPT_NAME"] = script
    end

    private

    def fits?(host, env)
      host.nil? || env["HTTP_HOST"] == host || env["SERVER_NAME"] == host
    end

    def below?(location, path)
      path.start_with?(location) && (path.size == location.size || path[location.size] == "/")
    end
  end

  # Tries one application after the other until one answers with something else than 404 or 405.
  class Cascade
    def initialize(apps, statuses = [404, 405])
      @apps = apps
      @statuses = statuses
    end

    def call(env)
      result = [404, { "content-type" => "text/plain" }, []]
      @apps.each do |app|
        result[2].close if result[2].respond_to?(:close)
        result = app.call(env)
        return result unless @statuses.include?(result[0].to_i)
      end
      result
    end
  end

  module Handler
    # Any response that the specification allows; the usual kind is sent without this.
    def self.send_response(result, response)
      status, headers, body = parts(result)
      begin
        response.status = status
        headers.each { |name, value| response.headers.__rack(name, value) }
        send_body(body, response)
      ensure
        body.close if body.respond_to?(:close)
      end
    end

    def self.parts(result)
      array = result.respond_to?(:to_a) && !result.is_a?(Hash) ? result.to_a : nil
      unless array && array.size == 3
        raise Bench::Error, "a Rack application returns [status, headers, body], not #{brief(result)}"
      end
      status, headers, body = array
      number = status.respond_to?(:to_i) ? status.to_i : 0
      wrong = if number < 100
                "its status is #{brief(status)}"
              elsif !headers.respond_to?(:each)
                "its headers are #{brief(headers)}"
              elsif body.is_a?(String) || ![:each, :call, :to_path].any? { |name| body.respond_to?(name) }
                "its body is #{brief(body)}, which does not respond to each, call or to_path"
              end
      if wrong
        body.close if body.respond_to?(:close)
        raise Bench::Error, "a Rack application returned a response that is none: #{wrong}"
      end
      [number, headers, body]
    end

    def self.send_body(body, response)
      if body.respond_to?(:to_path)
        response.send_file(body.to_path)
      elsif body.respond_to?(:each)
        lazy = !body.is_a?(Array)
        body.each do |part|
          unless part.is_a?(String)
            raise Bench::Error, "the body of a Rack response gives Strings, not #{brief(part)}"
          end
          response.write(part)
          response.flush if lazy # what comes one by one is wanted one by one
        end
      else
        body.call(Stream.new(response))
      end
    end

    def self.brief(object)
      text = object.inspect
      text.size > 200 ? "#{text[0, 200]}..." : text
    end
  end

  # What a body that responds to call writes to.
  class Stream
    def initialize(response)
      @response = response
      @closed = false
    end

    def write(*texts)
      raise IOError, "the stream is closed" if @closed
      texts.inject(0) { |sum, text| sum + @response.write(text.to_s) }
    end

    def <<(text)
      write(text)
      self
    end

    def flush
      @response.flush unless @closed
      self
    end

    def read(*)
      nil
    end

    def close(*)
      @closed = true
      nil
    end

    def close_read
      nil
    end
    alias close_write close

    def closed?
      @closed
    end
  end
end

class Hash
  alias __merge_plain __merge
  alias __replace_plain replace

  def replace(other)
    other.__fill if other.is_a?(Rack::Env)
    __replace_plain(other)
  end

  # What merge, merge! and update have in common.
  def __merge(*others)
    others.each { |other| other.__fill if other.is_a?(Rack::Env) }
    __merge_plain(*others)
  end
end
