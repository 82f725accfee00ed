# SPDX-License-Identifier: Apache-2.0
#
# What a request is asked, and its answers as text, in CRuby and in mruby alike: bytes that are not
# plain ASCII as \xNN, an uploaded file as what stands in it, an exception as its kind ("other": one
# that Rack does not mean to raise).

module Asked
  KINDS = {
    "Rack::QueryParser::ParameterTypeError" => "type", "Bench::Params::TypeError" => "type",
    "Rack::QueryParser::InvalidParameterError" => "invalid", "Bench::Params::InvalidError" => "invalid",
    "Rack::QueryParser::QueryLimitError" => "limit", "Bench::Params::LimitError" => "limit",
    "Rack::Multipart::MultipartPartLimitError" => "limit",
    "Rack::Multipart::MultipartTotalPartLimitError" => "limit",
    "ArgumentError" => "invalid", "EOFError" => "malformed", "Bench::Params::MalformedError" => "malformed"
  }

  HELPERS = %w[
    request_method get? head? post? put? patch? delete? options? trace? link? unlink? xhr?
    path path_info script_name query_string fullpath url base_url scheme ssl?
    authority host_authority server_authority forwarded_authority forwarded_for forwarded_port
    host hostname host_with_port port server_name server_port ip
    content_type content_length content_charset media_type media_type_params form_data? parseable_data?
    user_agent referer referrer accept_encoding accept_language
    GET POST params cookies
  ]

  def self.helpers(request)
    HELPERS.map { |name| "#{name}: #{answer { request.__send__(name) }}" }.join("\n")
  end

  def self.one(request, name)
    answer { request.__send__(name) }
  end

  def self.answer
    text(yield)
  rescue StandardError => e
    "! #{KINDS[e.class.to_s] || "other"}"
  end

  def self.text(value)
    case value
    when String then quote(value)
    when Symbol then ":#{value}"
    when Array then "[#{value.map { |one| text(one) }.join(', ')}]"
    when Hash then "{#{value.map { |name, one| "#{text(name)} => #{text(one)}" }.join(', ')}}"
    when nil, true, false, Numeric then value.inspect
    else file(value)
    end
  end

  def self.file(value)
    return value.class.to_s unless value.respond_to?(:rewind)
    value.rewind
    "file #{quote(value.read.to_s)}"
  end

  def self.quote(string)
    out = '"'
    string.each_byte do |byte|
      plain = byte >= 32 && byte < 127 && byte != 34 && byte != 92
      out << (plain ? byte.chr : sprintf("\\x%02x", byte))
    end
    out << '"'
  end
end
