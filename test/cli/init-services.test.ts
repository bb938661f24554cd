import { expect, test } from "vitest";
import { openFolder } from "../parts/terminal.ts";

const compose = `
services:
  app: { build: . }
  db:
    image: postgres:16
    environment: { POSTGRES_PASSWORD: "\${PASSWORD:-secret}", POSTGRES_DB: app }
    ports: ["127.0.0.1:\${DB_PORT:-5432}:5432"]
  cache:
    image: redis:7
    ports:
      - target: 6379
        published: 6380
`;

/** What clients in several languages print when nobody listens. */
const refused = [
  ["Node", "Error: connect ECONNREFUSED 127.0.0.1:5432", "localhost:5432", "db"],
  ["Node over IPv6", "AggregateError: connect ECONNREFUSED ::1:5432", "localhost:5432", "db"],
  [
    "psycopg",
    'connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused',
    "localhost:5432",
    "db",
  ],
  ["Go", "dial tcp 127.0.0.1:5432: connect: connection refused", "localhost:5432", "db"],
  ["redis-py", "Error 111 connecting to localhost:6380. Connection refused.", "localhost:6380", "cache"],
  ["JDBC", "Connection to localhost:5432 refused. Check that the hostname", "localhost:5432", "db"],
  ["a host that only Compose knows", "Error: getaddrinfo ENOTFOUND db", "db", "db"],
  ["Python", "ConnectionRefusedError: [Errno 111] Connection refused", "a service", "db"],
] as const;

test.each(refused)(
  "a service that %s could not reach is no work for the loop",
  async (...[, line, address, name]) => {
    const folder = openFolder();
    folder.write({
      "compose.yaml": compose,
      "t.sh": `echo '--- FAIL: TestA (0s)'; cat printed; exit 1`,
      printed: `${line}\n`,
    });
    const { code, stderr } = await folder.run("init", "--check", "bash t.sh");
    expect(code).toBe(0);
    expect(stderr).toContain(
      `✘ 1 test failing (exit 1): ${address} could not be reached; compose.yaml starts it as ${name}. An agent cannot fix this.\n`,
    );
    expect(stderr).toContain(`Start it first: docker compose up --detach --wait ${name}\n`);
    expect(stderr).not.toMatch(/work for the loop|Try it here/);
  },
);

test("the block for the workflow has the service's image, variables and ports", async () => {
  const folder = openFolder();
  folder.write({ "compose.yaml": compose, ".env": "PASSWORD=from-env\n" });
  const check = "echo 'connect ECONNREFUSED 127.0.0.1:5432'; exit 1";
  const { stderr } = await folder.run("init", "--check", check);
  const block = [
    "services:",
    "  db:",
    "    image: postgres:16",
    "    env:",
    "      POSTGRES_PASSWORD: from-env",
    "      POSTGRES_DB: app",
    "    ports:",
    "      - 5432:5432",
    '    options: --health-cmd "pg_isready" --health-interval 2s --health-retries 30',
  ];
  expect(stderr).toContain(block.map((line) => `        ${line}\n`).join(""));
});

test.each([
  ["a port that .env names", { ".env": "API=http://localhost:8123/v1\n" }, "8123", "API in .env names it"],
  ["the port of a usual service", {}, "6379", "this is the port of Redis"],
])("%s is enough to know a service", async (...[, files, port, known]) => {
  const folder = openFolder();
  folder.write(files);
  const { stderr } = await folder.run("init", "--check", `echo 'ECONNREFUSED 127.0.0.1:${port}'; exit 1`);
  expect(stderr).toContain(`localhost:${port} could not be reached; ${known}. An agent cannot fix this.`);
});

test("the project's own server that does not listen is work for the loop", async () => {
  const folder = openFolder();
  const check = "printf -- '--- FAIL: TestA (0s)\\nconnect ECONNREFUSED 127.0.0.1:8123\\n'; exit 1";
  const { stderr } = await folder.run("init", "--check", check);
  expect(stderr).toContain("1 test failing: work for the loop (exit 1)");
  expect(stderr).toContain("Try it here");
});

test("a build tool that cannot download itself is no work for the loop", async () => {
  const check = "echo 'java.net.UnknownHostException: services.gradle.org'; exit 1";
  const { stderr } = await openFolder().run("init", "--check", check);
  expect(stderr).toContain(
    "it failed (exit 1): services.gradle.org could not be reached; this machine cannot look up its name. An agent",
  );
  expect(stderr).not.toContain("Try it here");
});

test("after a check that found nothing to run, init does not say to try the loop", async () => {
  const check = "echo \"Task 'test' not found in root project 'a'.\"; exit 1";
  const { stderr } = await openFolder().run("init", "--check", check);
  expect(stderr).toContain("Task 'test' not found");
  expect(stderr).not.toContain("Try it here");
});
