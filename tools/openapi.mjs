/**
 * Writes docs/openapi.json from the table of operations, and docs/openapi-plane.json from the verbs
 * of the worker plane. `--check` only compares.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated } from './generated.mjs';
import { load, root } from './load.mjs';

const { openApiDocument } = await load('src/contract/operator/openapi.ts');

const { planeOpenApi } = await load('src/contract/plane-openapi.ts');

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

generated('docs/openapi.json', `${JSON.stringify(openApiDocument(version), null, 1)}\n`);
generated('docs/openapi-plane.json', `${JSON.stringify(planeOpenApi(version), null, 1)}\n`);
