import { parse, stringify } from "yaml";
import type { Folder } from "./folder.ts";

/** A service that the tests could not reach. */
export interface MissingService {
  /** `localhost:5432`, or only a host or nothing, if the output does not say more. */
  readonly address: string;
  /** Which file names it, and as what: `compose.yaml starts it as db`. */
  readonly known: string;
  /** What to do, as lines. */
  readonly remedy: readonly string[];
}

interface Address {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

/**
 * The service that a check could not reach, by its output; `undefined` if it reached all, or if nothing in the project
 * and no usual port says that there should be one: then it may be the project's own server, which is work for an agent.
 * A public host counts only if no test ran: a build tool wanted to download something.
 */
export function missingService(
  output: string,
  { folder, hasTests }: { readonly folder: Folder; readonly hasTests: boolean },
): MissingService | undefined {
  const refused = refusedIn(output);
  if (refused === undefined) return undefined;
  const compose = composeFiles.find(folder.has);
  const services = compose === undefined ? [] : servicesIn(folder.read(compose), variablesOf(folder));
  const service = services.find((one) => isMeant(one, refused));
  const variable = variableFor(refused, folder);
  const usual = usualPorts[refused.port ?? ""];
  const isPublic = !hasTests && refused.port === undefined && refused.host?.includes(".") === true;
  const address = [refused.host, refused.port].filter((part) => part !== undefined).join(":");
  if (service !== undefined)
    return { address, known: `${compose} starts it as ${service.name}`, remedy: remedyFor(service, refused) };
  if (variable !== undefined) return { address, known: `${variable} names it`, remedy: [] };
  if (isPublic) return { address, known: "this machine cannot look up its name", remedy: [] };
  return usual === undefined ? undefined : { address, known: `this is the port of ${usual}`, remedy: [] };
}

const composeFiles = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

const usualPorts: Readonly<Record<string, string>> = {
  "5432": "PostgreSQL",
  "3306": "MySQL",
  "6379": "Redis",
  "27017": "MongoDB",
  "5672": "RabbitMQ",
  "9092": "Kafka",
  "9200": "Elasticsearch",
  "11211": "Memcached",
};

/** How clients in different languages report that nobody listens, or that a host has no address. */
const refusals: readonly RegExp[] = [
  /ECONNREFUSED \[?(?<host>[\w.:-]+)\]?:(?<port>\d+)/,
  /connection to server at "(?<host>[^"]+)"[^\n]*port (?<port>\d+) failed/,
  /dial tcp \[?(?<host>[^\s\]]+?)\]?:(?<port>\d+): (?:connect: )?connection refused/,
  /(?:connecting to|connection to|Connect to) \[?(?<host>[\w.-]+)[^\n:]*:(?<port>\d+)[^\n]*\brefused/i,
  /host='(?<host>[^']+)', port=(?<port>\d+)[^\n]*refused/,
  /connect to (?:MySQL|MariaDB|local MySQL) server on '(?<host>[^':]+)(?::(?<port>\d+))?'/i,
  /(?:getaddrinfo (?:ENOTFOUND|EAI_AGAIN) |could not translate host name "|dial tcp: lookup |UnknownHostException: |(?:resolve|find) host: )(?<host>[\w.-]+)/,
  /ConnectionRefusedError|ECONNREFUSED|Connection refused|\[2002\]/i,
];

function refusedIn(output: string): Address | undefined {
  for (const pattern of refusals) {
    const found = pattern.exec(output);
    if (found === null) continue;
    const { host, port } = found.groups ?? {};
    return { host: host !== undefined && isLocal.test(host) ? "localhost" : host, port };
  }
  return undefined;
}

const isLocal = /^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/;

interface Service {
  readonly name: string;
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `5432:5432`: the port of the machine, then that of the container. */
  readonly ports: readonly string[];
}

function isMeant({ name, ports }: Service, { host, port }: Address): boolean {
  if (port !== undefined && ports.some((one) => one.startsWith(`${port}:`))) return true;
  if (host !== undefined && host !== "localhost") return host === name;
  return port === undefined && ports.length > 0;
}

function servicesIn(text: string, variables: Readonly<Record<string, string>>): readonly Service[] {
  const filled = text.replace(
    /\$\{(\w+)(?::?-([^}]*))?\}/g,
    (whole, name: string, otherwise?: string) => variables[name] ?? otherwise ?? whole,
  );
  const services = Object.entries(objectOf(objectOf(parsed(filled))["services"]));
  return services.flatMap(([name, value]) => {
    const { image, environment, ports } = objectOf(value);
    // One that is built from the checkout is the project itself.
    if (typeof image !== "string") return [];
    return [{ name, image, environment: pairsOf(environment), ports: listOf(ports).flatMap(portOf) }];
  });
}

function parsed(text: string): unknown {
  try {
    return parse(text, { merge: true });
  } catch {
    return undefined; // Docker will say what is wrong with it
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `127.0.0.1:5433:5432/tcp`, or a mapping. */
function portOf(port: unknown): readonly string[] {
  const { published, target } = objectOf(port);
  if (published !== undefined) return [`${published}:${target}`];
  const numbers = /(?:^|:)(\d+):(\d+)(?:\/tcp)?$/.exec(String(port));
  return numbers === null ? [] : [`${numbers[1]}:${numbers[2]}`];
}

function pairsOf(environment: unknown): Readonly<Record<string, string>> {
  const pairs = Array.isArray(environment)
    ? environment.map((line) => /^([^=]+)=(.*)$/s.exec(String(line))?.slice(1) ?? [])
    : Object.entries(objectOf(environment));
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name && value != null ? [[name, String(value)]] : [])),
  );
}

const environmentFiles = [".env.test", ".env", ".env.local", ".env.example", ".env.sample"];

function variablesOf({ read }: Folder): Readonly<Record<string, string>> {
  const lines = environmentFiles.toReversed().flatMap((file) => read(file).split("\n"));
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^\s*(?:export )?(\w+)=["']?(.*?)["']?\s*$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The variable of an environment file with the port, or the host, that was not reached: `DATABASE_URL in .env`. */
function variableFor({ host, port }: Address, { read }: Folder): string | undefined {
  const part = port ?? (host === "localhost" ? undefined : host);
  if (part === undefined) return undefined;
  const named = new RegExp(
    `^\\s*(?:export )?(\\w+)=.*(?<![\\w.-])${part.replaceAll(".", "\\.")}(?![\\w.-])`,
    "m",
  );
  for (const file of environmentFiles) {
    const name = named.exec(read(file))?.[1];
    if (name !== undefined) return `${name} in ${file}`;
  }
  return undefined;
}

function remedyFor({ name, image, environment, ports }: Service, { host }: Address): readonly string[] {
  const health = Object.entries(healthCommands).find(([kind]) => image.includes(kind))?.[1];
  const block = {
    [name]: {
      image,
      ...(Object.keys(environment).length === 0 ? {} : { env: environment }),
      ports,
      ...(health === undefined
        ? {}
        : { options: `--health-cmd "${health}" --health-interval 2s --health-retries 30` }),
    },
  };
  const text = stringify({ services: block }, { lineWidth: 0 }).trimEnd();
  return [
    `Start it first: docker compose up --detach --wait ${name}`,
    "In the workflow, add below `runs-on`:",
    ...text.split("\n").map((line) => `    ${line}`),
    ...(host === name ? [`There, and outside of Docker, its host is localhost, not ${name}.`] : []),
  ];
}

const healthCommands: Readonly<Record<string, string>> = {
  postgres: "pg_isready",
  postgis: "pg_isready",
  mysql: "mysqladmin ping",
  mariadb: "healthcheck.sh --connect",
  redis: "redis-cli ping",
};
