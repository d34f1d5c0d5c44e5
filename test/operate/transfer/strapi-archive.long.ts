import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import { cutShort, importAll, inFresh } from './importing.js';

/** Archives that `strapi export` of several versions has written; they are no part of the repository. */
const folder = '../shared/migration';

describe('archives that Strapi has written', () => {
  let files: readonly string[];
  before(async function () {
    files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tar.gz'));
    if (files.length > 0) return;
    console.warn(`      there are no archives in ${folder}: nothing is tried`);
    this.skip();
  });

  it('are imported completely, also after an interruption', async () => {
    for (const name of files) {
      const source = await openArchive({ file: join(folder, name), key: null });
      const whole = await inFresh(async (context) => {
        const prepared = await prepareImport(source, context);
        const { counts, shortcomings } = await runImport(prepared, { ...context, batch: 1_000 }, { replace: false });
        expect([...shortcomings.keys()]).to.deep.equal([]);
        expect([...prepared.plan.refused]).to.deep.equal([]);
        for (const [uid, count] of prepared.manifest.entities) expect(counts.get(uid), uid).to.equal(count);
        expect([counts.get('links'), counts.get('assets')]).to.deep.equal([prepared.manifest.links, prepared.manifest.assets]);
      });
      const resumed = await inFresh(async (context) => {
        const prepared = await prepareImport(source, context);
        const cut = { ...prepared, source: cutShort(source, 'entities', Math.ceil(prepared.manifest.records.entities / 2)) };
        expect(await runImport(cut, { ...context, batch: 50 }, { replace: false }).catch(String)).to.equal('Error: cut short');
        await importAll(source, { ...context, batch: 1_000 });
      });
      expect(resumed).to.deep.equal(whole);
    }
  });
});
