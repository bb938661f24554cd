import { first, type NamedTest, repeated } from "./printed.ts";
import { anywhere, lines, program, type Tool } from "./tool.ts";

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

/** Surefire lists classes: the class's name is repeated for each of its tests. */
function mavenNames(text: string): readonly NamedTest[] {
  const lines =
    /Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time elapsed: [^\n]*? (?:-- )?in (\S+)/g;
  return [...text.matchAll(lines)].flatMap(([, total, failures, errors, skipped, name = ""]) =>
    repeated(name, {
      total: Number(total),
      failed: Number(failures) + Number(errors),
      skipped: Number(skipped),
    }),
  );
}

export const jvmTools: readonly Tool[] = [
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
      // A package for tests, from a repository.
      lines(
        "**/*.gradle{,.kts}",
        /\btest|useJUnit|useTestNG|ignoreFailures|enabled|exclude|filter|onlyIf|finalizedBy|dependsOn|apply|doFirst|doLast|jvmArgs|allprojects|subprojects|buildFileName|includeBuild|projectDir|flatDir|mavenLocal|\burl\b(?!.*https?:)/i,
        {
          mayAdd:
            /^test(?:Implementation|CompileOnly|RuntimeOnly|Compile)[ (]+(?:platform\()?(?:["'][\w.-]+(?::[\w.-]+){1,2}["']|libs\.[\w.]+)\)*$/,
        },
      ),
    ],
    summary: /^(?<total>\d+) tests? completed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?/gm,
    failing: { name: /^(\S.{0,300}? > .{1,300}) FAILED$/gm, message: first(/^ {4}(\S.*)/) },
    nothing: /^Task '[^']+' not found in (?:root )?project/,
  },
  {
    id: "maven",
    called: program("mvnw?"),
    config: [...anywhere(".mvn/**", "mvnw", "mvnw.cmd", "junit-platform.properties"), ...shadowsOfJava],
    parts: [
      lines(
        "**/pom.xml",
        /skip|surefire|failsafe|<parent\b|relativePath|testFailureIgnore|maven\.test|test-(?:re)?source|<directory>[^<]*test|<url>[^<]*(?:file:|basedir)|<(?:exclude|include|groups|excludedGroups|test|test(?:Source|Output|Classes)Directory|test(?:Exclude|Include|Resource)s?|suiteXml\w*|classesDirectory|additionalClasspath\w*|classpathDependency\w*|phase|systemPath|argLine)\b/i,
      ),
    ],
    // Lines for single classes have the class or the time after the numbers.
    summary:
      /^(?:\[\w+\]\s*)?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<failed1>\d+)(?:, Skipped: (?<skipped>\d+))?(?:, Flakes: \d+)?[ \t]*$/gm,
    tests: mavenNames,
    failing: [
      { name: /^\[ERROR\] {3}(\S+:\d+.*)$/gm },
      {
        name: /^(?:\[ERROR\] )?(\S{1,300}) +(?:-- )?Time elapsed: [\d.]{1,20} s(?:ec)? +<<< (?:FAILURE|ERROR)!$/gm,
        message: first(/^(\S.*)/),
      },
    ],
    nothing:
      /^\[ERROR\] (?:The goal you specified requires a project to execute but there is no POM|Could not create local repository at |Plugin \S+ or one of its dependencies could not be resolved: )/,
  },
  {
    id: "scalatest",
    called: program("sbtn?|sbt-client|mill|mvnw?|gradlew?|scala"),
    // sbt counts the same tests once more.
    summary:
      /^.{0,20}Tests: succeeded (?<passed>\d+), failed (?<failed>\d+)(?:, canceled (?<failed1>\d+))?(?:, ignored (?<skipped>\d+))?(?:, pending (?<skipped1>\d+))?.*$(?:(?:\n.*){0,3}?\n.{0,20}(?:Passed|Failed|Error): Total \d.*$)?/gm,
  },
  {
    id: "sbt",
    called: program("sbtn?|sbt-client"),
    config: anywhere(".sbtopts", ".jvmopts", "sbt").concat(shadowsOfJava),
    parts: ["**/*.sbt", "project/*.scala"].map((file) => ({
      kind: "lines",
      file,
      lines:
        /\b(?:[Tt]est|IntegrationTest)\b(?!["'])|\btest(?:Options|Frameworks|Only|Quick)\b|\bTests\.|addCommandAlias|addSbtPlugin|\b(?:onLoad|commands|unmanaged\w*|(?:ex|in)cludeFilter|disablePlugins)\b|\bresolvers\b(?!.*https:)|-javaagent|-da\b|disable-?assertions|elide-below/,
      mayAdd:
        /^libraryDependencies\s*\+=\s*"[\w.-]+"\s*%{1,3}\s*"[\w.-]+"\s*%\s*"[\w.-]+"\s*%\s*"?Test"?,?$/i,
      alsoNew: true,
    })),
    summary:
      /^(?:\[\w+\] )?(?:Passed|Failed|Error): Total \d+, Failed (?<failed>\d+), Errors (?<failed1>\d+), Passed (?<passed>\d+)(?:, Skipped (?<skipped>\d+))?(?:, Ignored (?<skipped1>\d+))?(?:, Canceled (?<skipped2>\d+))?(?:, Pending (?<skipped3>\d+))?$/gm,
  },
];
