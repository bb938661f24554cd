/** The setup of each test file. @module */
import { beforeEach, expect } from "vitest";

// A test without an assertion cannot fail.
beforeEach(() => {
  expect.hasAssertions();
});
