import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { OAuth2Server } from 'oauth2-mock-server';
import { closeAfter } from '../support/close-after.js';
import { openPagesOf } from '../support/find-chromium.js';
import { buildPanel, needPanelPackages } from '../support/panel.js';
import { serveModels, type Serving } from '../support/serve.js';

describe('single sign-on in the panel', () => {
  needPanelPackages('single sign-on');
  const openPage = openPagesOf('single sign-on');
  const closing = closeAfter();
  const provider = new OAuth2Server();
  let serving: Serving;
  let groups: readonly string[] = ['web'];

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-sign-on-'));
    closing(() => rm(folder, { recursive: true }));
    await buildPanel(folder, join(folder, 'panel'));
    await provider.issuer.keys.generate('RS256');
    await provider.start(0, '127.0.0.1');
    closing(() => provider.stop());
    provider.service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) => {
      const claims = { sub: 'ann', email: 'ann@corp.test', email_verified: true, given_name: 'Ann', family_name: 'Lee' };
      Object.assign(payload, claims, { groups, aud: 'panel' });
    });
    const corp = {
      ...{ name: 'corp', displayName: 'Corp', issuer: provider.issuer.url ?? '', clientId: 'panel', clientSecret: 'secret' },
      ...{ claim: 'groups', roles: { web: 'strapi-editor' } },
    };
    const admin = { panel: { directory: join(folder, 'panel') }, sso: { providers: [corp], only: true } };
    serving = await serveModels({ models: [], config: { admin } });
    closing(() => serving.stop());
  });

  it('a button of the log-in leads to the provider, and back into the panel', async () => {
    const page = await openPage();
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(`${serving.server.url}/admin`);
    const button = page.getByRole('link', { name: 'Log in with Corp' });
    await button.waitFor();
    expect(await page.locator('main form').isVisible(), 'no passwords').to.equal(false);
    expect(await page.getByText('Forgot your password?').isVisible()).to.equal(false);
    expect(faults).to.deep.equal([]);
    await button.click();
    await page.getByText('Ann Lee').first().waitFor();
    await page.reload();
    await page.getByText('Ann Lee').first().waitFor();
    expect(new URL(page.url()).pathname).to.match(/^\/admin/);
  });

  it('a page says why somebody does not come in', async () => {
    groups = [];
    const page = await openPage();
    await page.goto(`${serving.server.url}/admin/sso/corp`);
    expect(await page.getByRole('alert').innerText()).to.equal('Your account at Corp gives no role here');
    await page.getByRole('link', { name: 'Back to the log-in' }).click();
    await page.getByRole('link', { name: 'Log in with Corp' }).waitFor();
  });
});
