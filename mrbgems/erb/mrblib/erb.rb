# SPDX-License-Identifier: Apache-2.0

class ERB
  # A binding of whoever runs it, without a local variable.
  BLANK = proc { binding }

  # Ruby source for a template.  It hands its text to a method, if `output` names one ("print"),
  # otherwise it collects it in a variable and its value is the whole.
  def self.compile(template, trim_mode: nil, output: nil, eoutvar: "_erbout")
    return __compile(template, trim_mode, output) if output

    "#{eoutvar} = ''; #{__compile(template, trim_mode, "#{eoutvar} <<")}\n#{eoutvar}"
  end

  attr_reader :src
  attr_accessor :filename, :lineno

  # The second to fourth argument are those of Ruby before 2.6.
  def initialize(template, _level = nil, mode = nil, variable = nil, trim_mode: nil, eoutvar: nil)
    @src = ERB.compile(template, trim_mode: trim_mode || mode, eoutvar: eoutvar || variable || "_erbout")
    @lineno = 1
  end

  # Without a binding, the template sees the methods and instance variables of whoever calls.
  def result(context = nil)
    __result(context || __caller.instance_exec(&BLANK))
  end

  def run(context = nil)
    print __result(context || __caller.instance_exec(&BLANK))
  end

  def result_with_hash(variables)
    context = __caller.instance_exec(&BLANK)
    variables.each { |name, value| context.local_variable_set(name, value) }
    __result(context)
  end

  def def_method(owner, head, file = @filename || "(ERB)")
    owner.class_eval("def #{head}; #{@src}\nend", file, @lineno)
    head.to_sym
  end

  def location=(location)
    @filename, line = location
    @lineno = line if line
  end

  # In a lambda, or mruby's eval would take each variable that is assigned for a new one.
  def __result(context)
    eval("-> { #{@src} }.call", context, @filename || "(erb)", @lineno)
  end
end
