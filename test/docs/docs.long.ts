import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { describeStart } from '#operate/cli/describe-start.js';
import { fetchedVersions } from '#operate/embedded/binary.js';
import { packageRoot } from '#base/package-root.js';
import { isShown, pages, readBlocks, readExamples, readPage, splitWords, type Example } from './read-page.js';
import { servePage, type ServedPage } from './serve-page.js';

/** Pages whose examples begin on a service that is closed. */
const closed: readonly string[] = ['docs/users-and-permissions.md'];

/** Pages whose examples need settings and types of their own: tests beside this one run them. */
const apart: readonly string[] = ['docs/subscriptions.md'];

/** Pages that name files of a user's project. */
const ofProjects: readonly string[] = ['docs/coming-from-strapi.md', 'docs/graphql-and-extensions.md', 'docs/panel.md'];

/** The pages run in order on one demo, because to serve it takes longer than all its requests; those of a closed service on another. */
const demos = new Map<boolean, Promise<ServedPage>>();

function demoFor(page: string): Promise<ServedPage> {
  const open = !closed.includes(page);
  const demo = demos.get(open) ?? servePage(open);
  demos.set(open, demo);
  return demo;
}

after(async () => {
  for (const demo of demos.values()) await (await demo).stop();
});

for (const page of pages) {
  const examples = apart.includes(page) ? [] : readExamples(page);
  describe(page, () => {
    let served: ServedPage;
    before(async () => {
      if (examples.length > 0) served = await demoFor(page);
    });

    for (const example of examples) it(titleOf(example), () => served.run(example));

    if (page === 'README.md')
      it('shows what a start prints', () => {
        const embedded = {
          version: fetchedVersions.official,
          dataDir: '/srv/mangrove/data/db',
          uri: 'mongodb://127.0.0.1:40213/?replicaSet=rs0',
        };
        const lines = describeStart(served.serving.server, { audience: 'local', embedded });
        const printed = lines.join('\n').replaceAll(served.serving.server.url, 'http://localhost:1337');
        expect(readBlocks(page).find(({ language }) => language === 'text')?.text).to.equal(`${printed.trimEnd()}\n`);
      });

    it('links to files and headings that exist', () => {
      const targets = [...readPage(page).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, target = '']) => target);
      expect(targets.filter((target) => !leadsSomewhere(page, target))).to.deep.equal([]);
    });

    if (ofProjects.includes(page)) return;
    it('names files and functions that exist', () => {
      const named = [...readPage(page).matchAll(sourcePattern)];
      expect(named.filter(([, file = '', name]) => !isInSource(file, name)).map(([whole]) => whole)).to.deep.equal([]);
    });
  });
}

/** Paths of this repository in backticks; a table may name a function in the next cell. */
const sourcePattern = /`((?:src|test|scripts)\/[\w./-]+)`(?:\s*\|\s*`(\w+)`)?/g;

function isInSource(file: string, name: string | undefined): boolean {
  // A page may name files of the project that `npx mangrove new` creates.
  if (!['', 'template'].some((folder) => existsSync(path.join(packageRoot, folder, file)))) return false;
  return name === undefined || new RegExp(`(?:function|const|class) ${name}\\b`).test(readPage(file));
}

function titleOf(example: Example): string {
  switch (example.kind) {
    case 'command':
    case 'request':
      return example.words.join(' ');
    case 'graphql':
      return example.query;
    case 'mongosh':
      return example.code;
    case 'file':
    case 'program':
      return example.file;
  }
}

function leadsSomewhere(page: string, target: string): boolean {
  const [name = '', anchor] = target.split('#');
  const file = name === '' ? page : path.join(path.dirname(page), name);
  if (!existsSync(path.join(packageRoot, file))) return false;
  return anchor === undefined || headings(file).includes(anchor);
}

/** The anchors that GitHub makes of the headings of a page. */
const headings = (page: string): readonly string[] =>
  [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the examples of pages', () => {
  const answers: Readonly<Record<string, readonly [shown: unknown, actual: unknown, result: boolean]>> = {
    'the same': [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
    'another value': [{ a: 1 }, { a: 2 }, false],
    'a key more': [{ a: 1 }, { a: 1, b: 2 }, false],
    'a key less': [{ a: 1, b: 2 }, { a: 1 }, false],
    'any value': [{ a: '…' }, { a: [1] }, true],
    'any value, but none': [{ a: '…' }, {}, false],
    'any further keys': [{ a: 1, '…': '…' }, { a: 1, b: 2 }, true],
    'any further entries': [[1, '…'], [1, 2, 3], true],
    'an entry more': [[1], [1, 2], false],
  };
  for (const [title, [shown, actual, result]] of Object.entries(answers))
    it(`answers: ${title}`, () => {
      expect(isShown(shown, actual)).to.equal(result);
    });

  it('are split into words as in a shell', () => {
    const line = `curl -g 'a b' -H "x: $KEY" --name="c d" 'e'f # says`;
    expect(splitWords(line)).to.deep.equal(['curl', '-g', 'a b', '-H', 'x: $KEY', '--name=c d', 'ef']);
  });
});
