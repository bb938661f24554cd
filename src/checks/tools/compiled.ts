import { anywhere, program, type Tool } from "./tool.ts";

/** Classes that replace those of a test library: they take precedence over its archive. */
const shadowsOfJava = anywhere(
  "org/{junit,hamcrest,assertj,testng,mockito}/**/*.java",
  "org/{junit,hamcrest,assertj,testng,mockito,opentest4j,apache/maven/surefire}/**/*.{java,kt,groovy,scala,class}",
  "junit/framework/*.{java,kt,class}",
  "{org/{scalatest,spockframework},io/kotest,spock/lang}/**/*.{java,kt,groovy,scala}",
  "META-INF/services/org.{junit,testng}.*",
  "META-INF/services/{org.spockframework,io.kotest}.*",
  // Settings that are found on the class path.
  "{testng*.xml,SpockConfig.groovy,kotest.properties}",
);

export const compiledTools: readonly Tool[] = [
  {
    id: "go",
    called: program("go|gotestsum|golangci-lint|staticcheck"),
    config: anywhere(
      "go.env",
      // A copy here takes precedence over the module of that name.
      "vendor/github.com/{stretchr/testify,onsi,google/go-cmp,frankban/quicktest,matryer/is}/**",
      "vendor/gotest.tools/**",
    ),
    parts: [
      {
        kind: "lines",
        file: "**/go.mod",
        lines: /^\s*(?:replace\b|exclude\b|tool\b|ignore\b|\S+(?:\s+v\S+)?\s+=>)/,
      },
      // Its modules take precedence over others of the same names. Go's version must follow that of the modules.
      { kind: "lines", file: "**/go.work", lines: /^\s*(?!(?:go|toolchain)\s)[^\s/]/, alsoNew: true },
    ],
  },
  { id: "golangci-lint", called: program("golangci-lint"), config: anywhere(".golangci.*") },
  { id: "staticcheck", called: program("staticcheck|golangci-lint"), config: anywhere("staticcheck.conf") },
  {
    id: "cargo",
    called: program("cargo|cross"),
    config: anywhere(
      ".cargo/**",
      "rust-toolchain",
      "rust-toolchain.toml",
      "build.rs",
      ".config/nextest.toml",
      "{,.}insta.yaml",
    ),
    parts: [
      {
        kind: "toml",
        file: "**/Cargo.toml",
        keys: [
          "test",
          "bench",
          "patch",
          "replace",
          "profile",
          "lints",
          "lib.test",
          "lib.doctest",
          "lib.harness",
          "lib.proc-macro",
          "package.autotests",
          "package.build",
          "package.links",
          // Which crates `cargo test` tests.
          "workspace.default-members",
          "workspace.exclude",
        ],
      },
      {
        // A crate that runs code while it compiles.
        kind: "entries",
        file: "**/Cargo.toml",
        entries: /^lib > (?:crate[-_]type > \d+: proc-macro|proc[-_]macro: true)$/,
        alsoNew: true,
      },
      {
        // The crates of the tests, if they are in the checkout. A member may take its own from the workspace.
        kind: "entries",
        file: "**/Cargo.toml",
        entries: /(?:(?:^|> )dev[-_]|^workspace > )dependencies > [^>]+ > (?:path|git|package): /,
        mayBeNew: true,
      },
    ],
  },
  { id: "nextest", called: /\bcargo(?:\s+\+\S+)?[\s-]nextest\b/, config: [] },
  { id: "clippy", called: /\bclippy\b/, config: anywhere("clippy.toml", ".clippy.toml") },
  {
    id: "rustfmt",
    called: /\bcargo(?:\s+\+\S+)?[\s-]fmt\b|\brustfmt\b/,
    config: anywhere("{,.}rustfmt.toml"),
  },
  {
    id: "maven",
    called: program("mvnw?"),
    config: [...anywhere(".mvn/**", "mvnw", "mvnw.cmd", "junit-platform.properties"), ...shadowsOfJava],
    parts: [
      {
        kind: "lines",
        file: "**/pom.xml",
        lines:
          /skip|surefire|failsafe|<parent\b|relativePath|testFailureIgnore|maven\.test|test-(?:re)?source|<directory>[^<]*test|<url>[^<]*(?:file:|basedir)|<(?:exclude|include|groups|excludedGroups|test|test(?:Source|Output|Classes)Directory|test(?:Exclude|Include|Resource)s?|suiteXml\w*|classesDirectory|additionalClasspath\w*|classpathDependency\w*|phase|systemPath|argLine)\b/i,
      },
    ],
  },
  {
    id: "gradle",
    called: program("gradlew?"),
    config: anywhere(
      "gradle.properties",
      "init.gradle*",
      "gradlew",
      "gradlew.bat",
      "gradle/wrapper/**",
      "buildSrc/**",
      "junit-platform.properties",
    ).concat(shadowsOfJava),
    parts: [
      {
        kind: "lines",
        file: "**/*.gradle{,.kts}",
        lines:
          /\btest|useJUnit|useTestNG|ignoreFailures|enabled|exclude|filter|onlyIf|finalizedBy|dependsOn|apply|doFirst|doLast|jvmArgs|allprojects|subprojects|buildFileName|includeBuild|projectDir|flatDir|mavenLocal|\burl\b(?!.*https?:)/i,
        // A package for tests, from a repository.
        mayAdd:
          /^test(?:Implementation|CompileOnly|RuntimeOnly|Compile)[ (]+(?:platform\()?(?:["'][\w.-]+(?::[\w.-]+){1,2}["']|libs\.[\w.]+)\)*$/,
      },
    ],
  },
  {
    id: "dart",
    called: program("dart|flutter"),
    config: anywhere("dart_test.yaml", "analysis_options.yaml"),
  },
  { id: "foundry", called: program("forge"), config: anywhere("foundry.toml") },
  {
    id: "dotnet",
    called: program("dotnet"),
    config: anywhere(
      "*.runsettings",
      "Directory.Build.*",
      "Directory.Packages.props",
      "xunit.runner.json",
      "[Nn]u[Gg]et.[Cc]onfig",
      ".config/dotnet-tools.json",
      // The severity of warnings.
      ".editorconfig",
      ".globalconfig",
    ),
    parts: [
      {
        kind: "lines",
        file: "**/*.{csproj,fsproj,vbproj}",
        lines: /IsTestProject|Remove=|VSTest|<Target\b|<Import\b|<Exec\b|DefineConstants|RunSettings/,
      },
    ],
  },
  {
    id: "cmake",
    called: program("ctest|cmake"),
    config: anywhere(
      // Headers that replace those of a test library.
      "{gtest,gmock,catch2,doctest}/**/*.{h,hpp}",
      "{boost/test,criterion,CppUTest}/**/*.{h,hpp}",
      "{catch,doctest}.{h,hpp}",
      "CTestTestfile.cmake",
      "CTestConfig.cmake",
      "CTestCustom.cmake",
      "CMakePresets.json",
      "CMakeUserPresets.json",
    ),
    parts: [
      {
        kind: "lines",
        file: "**/{CMakeLists.txt,*.cmake}",
        lines:
          /WILL_FAIL|SKIP_RE|PASS_RE|\bDISABLED\b|(?:macro|function)\s*\(\s*_*add_|CROSSCOMPILING_EMULATOR|TEST_LAUNCHER|COMPILER_LAUNCHER|RULE_LAUNCH|NDEBUG|(?:DOCTEST|CATCH)_CONFIG_|\bmain=|-Wl,(?:-e|--entry|--wrap)\b|CMAKE_BUILD_\S*TYPE|CMAKE_TOOLCHAIN_FILE|CMAKE_\w+_(?:COMPILE_OBJECT|LINK_EXECUTABLE)|set\s*\(\s*CMAKE_\w+_COMPILER\b/i,
        alsoNew: true,
      },
      {
        kind: "lines",
        file: "**/CMakeLists.txt",
        lines:
          /add_test|enable_testing|set_tests_properties|discover_tests|WILL_FAIL|include\s*\(\s*CTest|-include\b|CROSSCOMPILING_EMULATOR|TEST_LAUNCHER/i,
        // Another test, without properties.
        mayAdd:
          /^(?:add_test\s*\(\s*NAME [\w.:-]+ COMMAND [\w.:-]+|(?:gtest|catch|doctest)_discover_tests\s*\(\s*[\w.:-]+)\s*\)$/,
      },
    ],
  },
  {
    id: "bazel",
    called: program("bazel|bazelisk"),
    config: anywhere(".bazelrc", ".bazelignore", "user.bazelrc"),
  },
  {
    id: "swift",
    called: program("swift|xcodebuild"),
    config: anywhere(".swiftpm/**", "*.xctestplan"),
    parts: [
      {
        kind: "lines",
        file: "**/Package{,@swift-*}.swift",
        lines:
          /\btestTarget\b|Tests?["/]|\b(?:exclude|sources|plugins)\s*:|unsafeFlags|-Ounchecked|\.package\([^)]*\bpath\s*:|\b(?:XCTest|Testing)["/]/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "sbt",
    called: program("sbtn?|sbt-client"),
    config: anywhere(".sbtopts", ".jvmopts", "sbt").concat(shadowsOfJava),
    // Elsewhere, a package may be named `project`.
    parts: ["**/*.sbt", "project/*.scala"].map((file) => ({
      kind: "lines",
      file,
      lines:
        /\b(?:[Tt]est|IntegrationTest)\b(?!["'])|\btest(?:Options|Frameworks|Only|Quick)\b|\bTests\.|addCommandAlias|addSbtPlugin|\b(?:onLoad|commands|unmanaged\w*|(?:ex|in)cludeFilter|disablePlugins)\b|\bresolvers\b(?!.*https:)|-javaagent|-da\b|disable-?assertions|elide-below/,
      mayAdd:
        /^libraryDependencies\s*\+=\s*"[\w.-]+"\s*%{1,3}\s*"[\w.-]+"\s*%\s*"[\w.-]+"\s*%\s*"?Test"?,?$/i,
      alsoNew: true,
    })),
  },
];
