import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describePrepared } from '#operate/cli/import.js';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import { type ArchivedFile, packArchive } from '../../support/pack-archive.js';
import { sampleArchive } from '../../support/sample-archive.js';
import { inFresh } from './importing.js';

type Files = readonly ArchivedFile[];

/** Adds lines to the first file of a folder. */
const withLines = (files: Files, folder: string, lines: readonly unknown[]): Files =>
  files.map((file) =>
    file.name.startsWith(`${folder}/`) ? { ...file, content: [...(file.content as readonly unknown[]), ...lines] } : file,
  );

/** Adds an attribute to the model of stories. */
const withAttribute = (files: Files, name: string, attribute: object): Files =>
  files.map((file) => {
    if (!file.name.startsWith('schemas/')) return file;
    const schemas = file.content as readonly { readonly uid: string; readonly attributes: object }[];
    const changed = schemas.map((schema) =>
      schema.uid === 'api::story.story' ? { ...schema, attributes: { ...schema.attributes, [name]: attribute } } : schema,
    );
    return { ...file, content: changed };
  });

/** `metadata.json` in the form of all versions, on several lines. */
const writtenBy = (files: Files, version: string): Files =>
  files.map((file) =>
    file.name === 'metadata.json'
      ? { ...file, content: JSON.stringify({ createdAt: '2023-02-01T00:00:00.000Z', strapi: { version } }, null, 2) }
      : file,
  );

/** What versions since 4.11.7 write before each file of the media library. */
const withFileMetadata = (files: Files): Files =>
  files.flatMap((file) => {
    const [, name] = /^assets\/uploads\/(.+)$/.exec(file.name) ?? [];
    return name === undefined ? [file] : [{ name: `assets/metadata/${name}.json`, content: JSON.stringify({ name }) }, file];
  });

const onWindows = (files: Files): Files => files.map((file) => ({ ...file, name: file.name.replaceAll('/', '\\') }));

const stage = 'strapi_reviewWorkflows_stage';
const withReview = (files: Files): Files => {
  const target = 'admin::workflow-stage';
  const reviewed = withAttribute(files, stage, { type: 'relation', relation: 'oneToOne', target, useJoinTable: true });
  const entities = withLines(reviewed, 'entities', [{ type: target, id: 1, data: { name: 'To do' } }]);
  const left = { type: 'api::story.story', ref: 10, field: stage };
  return withLines(entities, 'links', [{ kind: 'relation.basic', relation: 'oneToOne', left, right: { type: target, ref: 1 } }]);
};

/** The forms in which older versions write what today's write otherwise; each comes as the same content. */
const forms: Readonly<Record<string, (files: Files) => Files>> = {
  'the paths of Windows, up to 4.9': (files) => writtenBy(onWindows(files), '4.6.0'),
  'files with metadata, since 4.11.7': (files) => writtenBy(withFileMetadata(files), '4.11.7'),
  'stages of reviews by their name of 4.10 and 4.11': (files) => writtenBy(withReview(files), '4.11.0'),
};

describe('archives of older versions of Strapi', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-old-'));
  });
  after(() => rm(directory, { recursive: true }));

  let reasons: readonly string[];
  /** What a dry run says. */
  let announced: string;
  const bring = async (files: Files) => {
    const file = join(directory, 'export.tar.gz.enc');
    await packArchive(file, files, 'key');
    const source = await openArchive({ file, key: 'key' });
    return inFresh(async (context) => {
      const prepared = await prepareImport(source, context);
      announced = JSON.stringify(describePrepared(prepared));
      const { shortcomings } = await runImport(prepared, context, { replace: false });
      reasons = [...shortcomings].map(([reason, { examples }]) => `${reason} (${examples.join(', ')})`);
    });
  };

  describe('come as those of today', () => {
    let today: unknown;
    before(async () => {
      today = await bring(sampleArchive);
    });
    for (const [title, form] of Object.entries(forms))
      it(title, async () => {
        expect(await bring(form(sampleArchive))).to.deep.equal(today);
      });
  });

  const single = withAttribute(sampleArchive, 'hint', { type: 'relation', relation: 'morphToOne' });
  for (const [version, told] of [
    ['4.6.0', true],
    ['4.19.1', true],
    ['4.20.0', false],
    ['4.26.2', false],
  ] as const)
    it(`${told ? 'say' : 'do not say'} that links are missing: ${version}`, async () => {
      await bring(writtenBy(single, version));
      const found = reasons.filter((reason) => /does not export links of morphToOne/.test(reason));
      expect(found).to.have.length(told ? 1 : 0);
      expect(announced.includes('does not export links of morphToOne')).to.equal(told);
      for (const reason of found) expect(reason).to.match(/\(api::story\.story hint\)$/);
    });
});
