/**
 * What each test file begins with.
 * @module
 */
import { beforeEach, expect } from "vitest";

// A test that asserts nothing cannot fail.
beforeEach(() => {
  expect.hasAssertions();
});
