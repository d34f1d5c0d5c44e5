import { expect } from 'chai';
import { runCli } from '../../support/run-cli.js';
import { writeProject } from '../../support/write-project.js';

describe('a project of Strapi v3', () => {
  for (const command of ['check', 'start'])
    it(`is named by ${command} in one line, with the way of its data`, async () => {
      const project = await writeProject({ 'package.json': JSON.stringify({ dependencies: { strapi: '3.6.8' } }) });
      const { exitCode, stdout, stderr } = await runCli(command, ['--project', project], { directory: project, env: {} });
      expect(exitCode).to.equal(1);
      const lines = `${stdout}${stderr}`.trim().split('\n');
      expect(lines).to.have.lengthOf(1);
      expect(lines[0]).to.include('Strapi v3').and.include('npx mangrove import').and.include('SQL');
    });
});
