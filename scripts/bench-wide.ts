// Measures what many items and many runs cost, on loopback, and prints one table: `npm run bench:wide`.

import { print } from "./bench/table.ts";
import { wideRows } from "./bench/wide.ts";

print(await wideRows());
