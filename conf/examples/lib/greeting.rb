# SPDX-License-Identifier: Apache-2.0

def greeting(name)
  "Hello #{name}"
end
