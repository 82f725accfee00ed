# SPDX-License-Identifier: Apache-2.0
require "erb"

MODES = [nil, "-", "<>", ">", "%", "%-", "%<>", "%>"]

PIECES = ["<% a = 1 %>", "<%= 1 + 1 %>", "<%# comment %>", "<%= '%%>' %>", "<%%", "%%>", "<%% x %>",
          "<% 2.times do %>", "<%\n c = 1\n%>", "<%= [1,\n2].join(',') %>", "% d = 4\n", "%% not code\n", "%= 5\n",
          "\n", "\n", "\n", "  ", "\t", "text", "é", "\"q\" \\n \#{x} #", "<", "-", ">", "\x00", "\x7f", "\x01f"]

times(400) do
  MODES.each do |mode|
    pieces = PIECES.dup
    pieces += ["<%- b = 2 -%>", "<%- b = 2 %>", "<%= 3 -%>"] if mode.to_s.include?("-")
    # Of a line that it does not trim, CRuby keeps the end, but not all of it.
    pieces << "\r\n" unless mode.to_s.include?("<>")
    template = text(pieces, 10).force_encoding("UTF-8")
    template += "<% end %>" * template.scan("<% 2.times do %>").size
    # A % line belongs at the beginning of one; what closes no tag is trimmed in CRuby as if it did.
    template = template.gsub(/([^\n])(%=? ?[d5])/) { "#{$1}\n#{$2}" }
    next if mode && mode.include?(">") && template.match?(/%%?>\r?\n/) && template.match?(/%%>|<%%/)

    same "ERB.new(#{lit(template)}, trim_mode: #{mode.inspect}).result"
  end
end

times(100) do
  value = lit(text(["<", ">", "&", '"', "'", "a", " ", "/", "~", "*", "é", nil]))
  same "ERB::Util.html_escape(#{value})", "BINARY"
  same "ERB::Util.url_encode(#{value})", "BINARY"
end
["nil", "12", ":a", "[1, nil]"].each do |value|
  same "ERB::Util.h(#{value})"
  same "ERB::Util.u(#{value})"
end

same "ERB.new('<%= x %>,<%= y %>').result_with_hash(x: 1, y: '<')"
same "x = 5; ERB.new('<%= x %>').result(binding)"
same "ERB.new('a', eoutvar: '@out').result"
same "ERB.new('<% 3.times do |i| -%>\n<%= i %>\n<% end -%>\n', trim_mode: '-').result"
same "begin; ERB.new(\"1\\n2\\n<%= raise 'x' %>\").result; rescue => e; e.message; end"
