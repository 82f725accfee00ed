# SPDX-License-Identifier: Apache-2.0
#
# What the head of a part says.  The bytes are moved in C.

module Bench
  module Multipart
    # The boundary that a Content-Type names, or nil if it is not multipart.
    def self.boundary(content_type)
      return nil unless content_type
      found = content_type.match(/\Amultipart\/.*?boundary(\s*)="?([^";,]+)"?/i)
      return nil unless found
      unless found[1].empty? && !found.post_match.match?(/boundary\s*=/i)
        raise Params::MalformedError, "a multipart type with a boundary that is not clear: #{content_type}"
      end
      found[2]
    end

    VALUE = '(?:"(?:\\\\"|[^"])*"|[^\s()<>,;:\\\\"\/\[\]?=]+)'
    ATTRIBUTE = '[^ \x00-\x1f\x7f)(><@,;:\\\\"\/\[\]?=\'*%]'
    DISPOSITION = 'Content-Disposition:\s*[^\s()<>,;:\\\\"\/\[\]?=]+\s*'
    PLAIN = "(#{ATTRIBUTE}+(?:\\*[0-9]+)?)=(#{VALUE})"
    ENCODED = "(?:%[0-9a-fA-F]{2}|#{ATTRIBUTE})*"
    EXTENDED = "(#{ATTRIBUTE}+\\*[1-9][0-9]*\\*)=(#{ENCODED})|" \
               "(#{ATTRIBUTE}+(?:\\*0)?\\*)=([a-zA-Z0-9\\-]*'[a-zA-Z0-9\\-]*'#{ENCODED})"

    # The patterns are made when the first form comes: an interpreter that never reads one need not hold
    # them.
    def self.pattern(name)
      @patterns ||= {
        type: /Content-Type: (.*)\r\n/i,
        name: /Content-Disposition:[^:]*;\s*name=(#{VALUE})/i,
        id: /Content-ID:\s*([^\r\n]*)/i,
        parameter: /;\s*(?:#{PLAIN}|#{EXTENDED})\s*/,
        well_formed: /^#{DISPOSITION}(?:;\s*(?:#{PLAIN}|#{EXTENDED})\s*)+$/i,
        broken: /^#{DISPOSITION}.*;\s*filename=(#{VALUE})/i
      }
      @patterns[name]
    end

    # Whether the part is a file; asked for each part while the body is read.
    def self.file?(head)
      !filename(head).nil?
    end

    # Reads a form: a Hash of Strings and of Uploads.
    def self.read(body, boundary)
      params = {}
      body.__parts(boundary).each do |head, content|
        name, value = entry(head, content)
        Params.add(params, name, value) unless value.equal?(NOTHING)
      end
      body.rewind
      params
    end

    NOTHING = Object.new

    def self.entry(head, content)
      type = head[pattern(:type), 1]
      file = filename(head)
      name = (quoted = head[pattern(:name), 1]) ? dequote(quoted) : head[pattern(:id), 1]
      name = file || "#{type || 'text/plain'}[]" if name.nil? || name.empty?
      return [name, content] unless file
      return [name, NOTHING] if file == "" # a file field in which nothing was chosen
      [name, Params::Upload.of(file.split(/[\/\\]/).last, type, name, content, head)]
    end

    def self.dequote(text)
      quoted = text.match(/\A"(.*)"\Z/)
      (quoted ? quoted[1] : text).gsub(/\\(.)/, '\1')
    end

    def self.unquote(text)
      quoted = text.match(/^"(.*)"$/)
      quoted ? quoted[1] : text
    end

    def self.filename(head)
      name = nil
      if head.match?(pattern(:well_formed))
        given = {}
        head.scan(pattern(:parameter)) do |groups|
          key, value = groups.compact
          given[key] = value
        end
        if (name = given["filename"])
          name = unquote(name)
        elsif (name = given["filename*"])
          name = name.split("'", 3)[2]
        end
      elsif (found = head.match(pattern(:broken)))
        name = unquote(found[1])
      end
      name && clean(name)
    end

    def self.clean(name)
      escapes = name.scan(/%.?.?/)
      if escapes.all? { |one| one.match?(/%[0-9a-fA-F]{2}/) }
        name = name.gsub(/%[0-9a-fA-F]{2}/) { |one| one[1, 2].to_i(16).chr }
      end
      name.match?(/\\[^\\"]/) ? name : name.gsub(/\\(.)/, '\1')
    end
  end

  module Params
    # An uploaded file: {filename:, type:, name:, tempfile:, head:}.
    class Upload
      def self.of(filename, type, name, path, head)
        upload = new
        upload[:filename] = filename
        upload[:type] = type
        upload[:name] = name
        upload[:tempfile] = File.open(path, "r+")
        upload[:head] = head
        upload
      end
    end
  end
end
