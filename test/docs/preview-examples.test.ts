import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#base/package-root.js';
import { readBlocks } from './read-page.js';

const folder = join(packageRoot, 'examples/previews/next/app');

describe('the code of previews in docs/editorial.md', () => {
  const shown = readBlocks('docs/editorial.md').filter(({ language }) => language === 'jsx');

  for (const file of ['api/preview/route.js', 'api/preview/events/route.js', 'articles/[id]/article.jsx'])
    it(`is that of the example, ${file}`, () => {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(shown.filter((block) => text.endsWith(block.text))).to.have.length(1);
    });
});
