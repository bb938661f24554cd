import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { traceRun } from "../../src/telemetry/trace-run.ts";
import "../../test/parts/loaded.ts";
import { stage } from "../../test/parts/stage.ts";
import type { Row } from "./bench.ts";
import { ms, timed } from "./figures.ts";

const iterations = 500;
const loop = `
name: t
nodes: [{ id: fix, agent: claude, loop: { prompt: go, until_bash: npm test, max_iterations: ${iterations} } }]
`;

/** The cost of a run's trace in this process; the receiver on loopback accepts everything. */
export async function traceRows(): Promise<readonly Row[]> {
  const it = stage(loop, { shell: () => 1 });
  await it.begin();
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lost: string[] = [];
  const took = await timed(async () => {
    const trace = await traceRun({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      clean: (text) => text,
      notice: (text) => lost.push(text),
    });
    for (const event of it.told) trace.emit(event);
    await trace.end();
  });
  server.closeAllConnections();
  server.close();
  const figure = lost.length === 0 ? ms(took) : lost.join("; ");
  return [{ what: `trace of a run with ${iterations} iterations, start to end`, figure }];
}
