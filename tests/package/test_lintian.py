# SPDX-License-Identifier: BSD-2-Clause
"""What Debian's own checks say of the packages."""
import os
import unittest

from machine import MachineError, command
from world import Case


class TestLintian(unittest.TestCase):
    def test_lintian_has_neither_errors_nor_warnings(self):
        packages = Case.world.first
        try:
            command(["lintian", "--allow-root", "--fail-on=error,warning"] +
                    [os.path.join(packages, name)
                     for name in sorted(os.listdir(packages))])
        except MachineError as error:
            self.fail(str(error))
