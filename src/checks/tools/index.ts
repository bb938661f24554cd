/**
 * The programs that checks use: what each reads besides the code, a row each.
 * @module
 */
import { nodeTools } from "./node.ts";
import { otherTools } from "./others.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [...nodeTools, ...otherTools];

/** Globs of tests by their usual names, in any language; existing ones are protected, new ones may be added. */
export const testGlobs: readonly string[] = [
  "**/{test,tests,__tests__,spec,specs,testdata,__snapshots__,t}/**",
  "**/*.{test,spec,tests}.*",
  "**/*.{test,spec}-d.*",
  "**/*_{test,tests,spec}.*",
  "**/test_*.*",
  "**/*{Test,Tests,Spec,IT,TestCase}.{java,kt,kts,scala,groovy,cs,fs,vb,php,swift,hs,m,mm}",
  "**/test-*.{js,mjs,cjs,ts,sh,py,R}",
  "**/*.{bats,t}",
];
