import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { callsOf } from '../../../test/strapi/differential/calls.js';
import { sendCall, type PlainAnswer } from '../../../test/strapi/differential/send-call.js';
import { startLiveStrapi } from './live-strapi.js';

/**
 * Records the answers of Strapi 4.26 to the probes of test/strapi/differential. The first argument is the folder that Strapi is
 * installed in, which takes minutes once; without it a folder for temporary files.
 */
const directory = join(import.meta.dirname, '../../../test/strapi/differential');
const folder = resolve(process.argv[2] ?? join(tmpdir(), 'mangrove-live-strapi'));
const live = await startLiveStrapi(join(directory, 'project'), folder);

const ask = (group: string, name: string): Promise<PlainAnswer> =>
  sendCall(live.url, { method: 'GET', path: `/api/probes/${group}/${name}` });

await live.strapi.query('plugin::i18n.locale').create({ data: { code: 'fr', name: 'French (fr)' } });
const seeded = await ask('seed', 'run');
if (seeded.status !== 200) throw new Error(`the content: ${JSON.stringify(seeded)}`);
const listed = await ask('list', 'all');
const { value: probes } = listed.body as { readonly value: readonly string[] }; // the probe list/all
const restore = await live.remember();
const answers: Record<string, PlainAnswer> = {};
for (const call of callsOf(probes)) {
  answers[call.name] = await sendCall(live.url, call);
  await restore();
}
writeFileSync(join(directory, 'strapi-4.26.json'), `${JSON.stringify({ probes, answers }, null, 1)}\n`);
console.log(`recorded ${String(Object.keys(answers).length)} answers, of ${String(probes.length)} probes`);
await live.stop();
process.exit();
