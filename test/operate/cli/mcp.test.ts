import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { runCli } from '../../support/run-cli.js';

describe('npx mangrove mcp', () => {
  let directory: string;
  let server: ServingAccounts;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-mcp-'));
    server = await serveAccounts({ config: { api: { mcp: { enabled: true } } } });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('says that the endpoint is off', async () => {
    const { stdout, stderr, exitCode } = await runCli('mcp', [], { directory, env: {} });
    expect(exitCode).to.equal(1);
    expect(JSON.parse(stdout).mcpServers.mangrove.url).to.equal('http://localhost:1337/mcp');
    expect(stderr).to.contain('set MCP=true');
  });

  it('names the tools that a token is offered', async () => {
    const key = (await server.admin('POST', '/tokens', { name: 'agent', type: 'read-only' })).body.data.accessKey;
    const { url } = server.server;
    const { stdout, stderr, exitCode } = await runCli('mcp', ['--url', `${url}/`], { directory, env: { MANGROVE_TOKEN: key } });
    expect(exitCode, stderr).to.equal(0);
    expect(JSON.parse(stdout).mcpServers.mangrove.url).to.equal(`${url}/mcp`);
    expect(stderr).to.equal(`${url}/mcp offers describe, find, get, count, aggregate`);
  });

  it('prints the configuration of each client', async () => {
    const printed = async (client: string) =>
      JSON.parse((await runCli('mcp', ['--client', client], { directory, env: {} })).stdout) as Record<string, object>;
    const url = 'http://localhost:1337/mcp';
    expect(await printed('cursor')).to.have.nested.property('mcpServers.mangrove.url', url);
    expect(await printed('vscode')).to.have.nested.property('servers.mangrove.type', 'http');
    expect(await printed('claude-desktop'))
      .to.have.nested.property('mcpServers.mangrove.args')
      .that.includes(url);
    const wrong = await runCli('mcp', ['--client', 'other'], { directory, env: {} });
    expect(wrong.stderr).to.contain('one of claude-code, claude-desktop, cursor, vscode');
  });

  it('asks for a token', async () => {
    const { stderr, exitCode } = await runCli('mcp', ['--url', server.server.url], { directory, env: {} });
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('answers 401').and.contain('MANGROVE_TOKEN');
  });
});
