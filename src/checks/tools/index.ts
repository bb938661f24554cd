/**
 * The programs that checks use, one row each. A new one is a row in one of these files.
 *
 * @module
 */
import { compiledTools } from "./compiled.ts";
import { functionalTools } from "./functional.ts";
import { jvmTools } from "./jvm.ts";
import { linters } from "./linters.ts";
import { nativeTools } from "./native.ts";
import { nodeTools } from "./node.ts";
import { nodeRunners } from "./node-runners.ts";
import { pythonTools } from "./python.ts";
import { scriptedTools } from "./scripted.ts";
import type { Tool } from "./tool.ts";

/** What a row prints is hidden from later rows. TAP is last, because so many tools print it. */
export const tools: readonly Tool[] = [
  ...pythonTools,
  ...compiledTools,
  ...jvmTools,
  ...nodeTools,
  ...nodeRunners,
  ...nativeTools,
  ...functionalTools,
  ...linters,
  ...scriptedTools,
];

/** Globs for tests with usual names, in any language. Existing tests are protected; new ones may be added. */
export const testGlobs: readonly string[] = [
  "**/{test,tests,Test,Tests,__tests__,spec,specs,Specs,testdata,__snapshots__,t}/**",
  "**/*.{Test,Tests,UnitTests,IntegrationTests,Specs}/**",
  "**/{unit,integration,functional,acceptance,system,e2e,smoke}{-,_}{test,tests,specs}/**",
  "**/src/{*Test,testFixtures}/{java,kotlin,scala,groovy,resources}/**",
  "**/*.{test,spec,tests,e2e}.*",
  "**/*.cy.{js,mjs,cjs,ts,mts,cts,jsx,tsx}",
  "**/*.{test,spec}-d.*",
  "**/*_{test,tests,spec}.*",
  "**/test_*.*",
  "**/*{Test,Tests,Spec,IT,TestCase}.{java,kt,kts,scala,groovy,cs,fs,vb,php,swift,hs,m,mm}",
  "**/Test[A-Z]*.{java,kt,scala,groovy}",
  "**/test-*.{js,mjs,cjs,ts,sh,py,R}",
  "**/*-spec.{js,mjs,cjs,ts,mts,cts,jsx,tsx}",
  "**/*.{bats,t,phpt,robot,feature}",
  "**/*.{t.sol,tftest.hcl,tftest.json}",
  "**/features/{steps,step_definitions,support}/**",
  "**/features/environment.py",
  // Test helpers next to the code, as in Go. Deeper files may be the code of a helper package.
  "**/{test,tests,Test,Tests}{,-,_}{util,utils,helper,helpers,support,Util,Utils,Helper,Helpers,Support}{/*,.*}",
  // Expected results and end-to-end tests are often next to the test folder.
  "**/{fixtures,__fixtures__,golden,goldens,goldenfiles,test-data,test_data,e2e,cypress}/**",
  "**/{snapshots,expected}/**/*.{snap,txt,json,jsonl,yml,yaml,xml,html,md,csv,svg,png,out,err}",
  "**/*.{snap,golden,ambr}",
  // Inputs that once failed: proptest repeats them.
  "**/proptest-regressions/**",
  "**/*.proptest-regressions",
  "**/*.{approved,verified}.{txt,json,xml,html,md,csv,yml,yaml,svg,png}",
];
