# SPDX-License-Identifier: Apache-2.0

$printed = ""
def print(text)
  $printed << text
end

def render(template, mode = nil)
  ERB.new(template, trim_mode: mode).result
end

test "text, code, values and comments" do
  assert_equal "", render("")
  assert_equal "Hello World!", render("Hello <%= \"Wor\" + 'ld' %>!")
  assert_equal "0,1,2,", render("<% 3.times do |i| %><%= i %>,<% end %>")
  assert_equal "ab", render("a<%# <%= raise %%> nothing %>b")
  assert_equal "nil is , 1 is 1", render("nil is <%= nil %>, 1 is <%= 1 %>")
  assert_equal "yes", render("<% if true %>yes<% else %>no<% end %>")
end

test "<%% and %%>" do
  assert_equal "<%= 1 %>", render("<%%= 1 %>")
  assert_equal "a %> b", render("<%= 'a %%> b' %>")
  assert_equal "%%>", render("%%>")
end

test "trim modes" do
  template = "<% 2.times do |i| %>\n<%= i %>\n  <%- if i %>\n<% end -%>\nx\n<% end %>\n"
  plain = template.delete("-")
  assert_equal "\n0\n  \n\nx\n\n1\n  \n\nx\n\n", render(plain)
  assert_equal "0  x\n1  x\n", render(plain, ">")
  assert_equal "0  \nx\n1  \nx\n", render(plain, "<>")
  assert_equal "\n0\n\nx\n\n1\n\nx\n\n", render(template, "-")
  assert_equal "0\n1\n", render("<% 2.times do |i| -%>\n<%= i %>\n<% end -%>\n", "-")
  assert_equal "0\r\n1\r\n", render("<% 2.times do |i| -%>\r\n<%= i %>\r\n<% end -%>", "-")
  assert_equal "0\n1\n% x\n", render("% 2.times do |i|\n<%= i %>\n% end\n%% x\n", "%")
  assert_equal "01", render("% 2.times do |i|\n<%= i -%>\n% end\n", "%-")
  ["x", "--", "<", "%%", 3, :a].each { |mode| assert_raise(ArgumentError) { render("", mode) } }
end

test "Ruby before 2.6" do
  assert_equal "1", ERB.new("<%= 1 -%>\n", nil, "-").result
  assert_equal "1", ERB.new("<%= @out << '1'; nil %>", nil, nil, "@out").result
end

test "what a binding knows" do
  a = 1
  @b = 2
  assert_equal "1 2", ERB.new("<%= a %> <%= @b %>").result(binding)
  assert_equal "2", ERB.new("<%= @b %>").result
  assert_equal "2 3", ERB.new("<%= @b %> <%= c %>").result_with_hash(c: 3)
  assert_equal "4", ERB.new("<%= c %>").result_with_hash({ "c" => 4 })
  assert_equal "5", ERB.new("<% a = 5 %><%= a %>").result(binding)
  assert_equal 5, a
  assert_raise(NameError) { ERB.new("<%= a %>").result }
  assert_raise(NameError) { ERB.new("<%= mode %>").result }
  assert_raise(NameError) { ERB.new("<%= context %>").result }
  assert_raise(TypeError) { ERB.new("").result(1) }
end

test "who calls is self" do
  class Page
    def initialize(title)
      @title = title
    end

    def shout
      @title.upcase
    end

    def render(template)
      ERB.new(template).result
    end

    def show(template)
      ERB.new(template).run
    end
  end
  assert_equal "t T", Page.new("t").render("<%= @title %> <%= shout %>")
  $printed = ""
  Page.new("u").show("<%= @title %>")
  assert_equal "u", $printed
end

test "a template is run as often as one likes" do
  template = ERB.new("<%= x += 1 %>;")
  x = 0
  3.times { template.result(binding) }
  assert_equal "4;", template.result(binding)
end

test "a method of it" do
  class Row; end
  erb = ERB.new("<%= a %>-<%= b %>\n<%= raise 'here' if a == 0 %>")
  erb.filename = "row.erb"
  erb.def_method(Row, "cells(a, b)")
  assert_equal "1-2\n", Row.new.cells(1, 2)
  begin
    Row.new.cells(0, 1)
  rescue => e
    assert_equal "row.erb:2", e.backtrace[0][0, 9]
  end
end

# The line of a template that its backtrace names.
def line_of_error(template, mode = nil)
  erb = ERB.new(template, trim_mode: mode)
  erb.filename = "page.erb"
  erb.result
  nil
rescue RuntimeError => e
  e.backtrace[0].split(":")[0, 2].join(":")
end

test "backtraces name the template's line" do
  assert_equal "page.erb:1", line_of_error("<% raise %>")
  assert_equal "page.erb:3", line_of_error("a\nb\n<%= raise %>\n")
  assert_equal "page.erb:5", line_of_error("<%# one\ntwo\n%>\n<%\n raise\n%>")
  assert_equal "page.erb:4", line_of_error("<% 1\n2 %>\n\n<% raise %>")
  assert_equal "page.erb:4", line_of_error("<% 1 -%>\n<% 2 -%>\n \\ \" \#{x} -%>\n<% raise %>", "-")
  assert_equal "page.erb:3", line_of_error("<% 1 %>\n<%= 2 %>\n<% raise %>", "<>")
  assert_equal "page.erb:3", line_of_error("<% 1 %>\n<%= 2 %>\n<% raise %>", ">")
  assert_equal "page.erb:3", line_of_error("% 1\n%% 2\n% raise\n", "%")
  assert_equal "page.erb:4", line_of_error("% 1\r\n<%= '\n' %>\n% raise\n", "%")
  assert_equal "page.erb:20001", line_of_error("a line of text\n" * 20_000 + "<% raise %>")
  erb = ERB.new("\n<% raise %>")
  erb.location = ["other.erb", 10]
  begin
    erb.result
  rescue => e
    assert_equal "other.erb:11", e.backtrace[0][0, 12]
  end
end

test "a tag without an end" do
  ["<%", "<% a", "a <%= 1 %%> b", "<%#", "<% %% >"].each do |template|
    assert_raise(SyntaxError) { ERB.new(template) }
  end
  begin
    ERB.new("a\nb\n<% c\n\n")
  rescue SyntaxError => e
    assert_equal "line 3: <% without %>", e.message
  end
  assert_raise(SyntaxError) { render("<% if %>") }
end

test "every byte survives" do
  all = [*0..255].pack("C*").delete("%")
  [nil, "-", "<>", ">", "%"].each do |mode|
    assert_equal all * 3, render(all * 3, mode)
    assert_equal all + "1" + all, render("#{all}<%= 1 %>#{all}", mode)
  end
end

test "long texts" do
  [16_383, 16_384, 16_385, 65_534, 65_535, 65_536, 300_000].each do |n|
    assert_equal n, render("x" * n).size
    assert_equal n * 4, render("\"\0\n#" * n).size
  end
  long = "é\n" * 100_000
  assert_equal long, render("<% if true %>#{long}<% end %>")
  assert_equal 4000, render("<%= 1 %>," * 2000).size
end

test "source that prints" do
  source = ERB.compile("a\n<% 2.times do |i| -%>\n\"<%= i %>\"\n<% end -%>", trim_mode: "-", output: "print")
  $printed = ""
  eval(source)
  assert_equal "a\n\"0\"\n\"1\"\n", $printed
  assert_equal "print \"a\"; print(( 1 ).to_s); print \"b\"", ERB.compile("a<%= 1 %>b", output: "print")
  assert_equal "", ERB.compile("", output: "print")
  $out = []
  eval(ERB.compile("a<%= 1 %>b", output: "$out <<"))
  assert_equal ["a", "1", "b"], $out
  assert_equal "12", eval(ERB.compile("1<%= 2 %>"))
  assert_equal "12", eval(ERB.compile("1<%= 2 %>", eoutvar: "@text"))
end

test "escapes" do
  assert_equal "&lt;&gt;&amp;&quot;&#39; é", ERB::Util.html_escape("<>&\"' é")
  assert_equal "&lt;1&gt;", ERB::Util.h("<1>")
  assert_equal "12", ERB::Util.h(12)
  assert_equal "", ERB::Util.h(nil)
  assert_equal "a%20b~%2F%2A%C3%A9", ERB::Util.url_encode("a b~/*é")
  assert_equal "%26", ERB::Util.u("&")
  class View
    include ERB::Util
    def show(text)
      ERB.new("<%= h text %> <%=u text%>").result(binding)
    end
  end
  assert_equal "&lt; %3C", View.new.show("<")
end
