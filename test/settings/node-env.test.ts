import { expect } from 'chai';
import { loadConfig } from '#settings/load-config.js';
import { writeProject } from '../support/write-project.js';

describe('NODE_ENV of the process', () => {
  const before = process.env.NODE_ENV;
  afterEach(() => {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  });

  for (const [written, isStrapiProject, after] of [
    [undefined, true, 'development'],
    ['', true, 'development'],
    ['production', true, 'production'],
    [undefined, false, undefined],
  ] as const)
    it(`${String(written)} is ${String(after)} after the load of ${isStrapiProject ? 'a project' : 'another directory'}`, async () => {
      if (written === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = written;
      await loadConfig({ directory: await writeProject({}), isStrapiProject });
      expect(process.env.NODE_ENV).to.equal(after);
    });
});
