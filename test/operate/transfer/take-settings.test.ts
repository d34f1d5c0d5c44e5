import { expect } from 'chai';
import { takeSettings } from '#operate/transfer/take-settings.js';
import { openCodeStore } from '#store/stores/code-store.js';
import { inFresh } from './importing.js';

const from = { name: 'Us', email: 'us@mail.test' };
const options = { from, response_email: '', object: 'New', message: '<%= URL %>' };

const google = {
  ...{ enabled: true, key: 'k', secret: 's', scope: ['email'], icon: null },
  ...{ custom_params: { prompt: 'login' }, response: ['tokens', { raw: true }], 'a.b': 1 },
};

describe('settings of a source', () => {
  it('are stored whole, and what cannot be is reported', async () => {
    const lines: string[] = [];
    await inFresh(async ({ store, config }) => {
      const settings = new Map<string, unknown>([
        [
          'plugin_users-permissions_grant',
          {
            google,
            'my own.provider': { enabled: false, subdomain: 'a:80/x' },
            auth0: { enabled: true, key: 'k', secret: 's', subdomain: 'a:80/x' },
            discord: { enabled: false, key: { a: 1 } },
            wrong: 5,
            odd: { custom: { _bsontype: 'Long' } },
          },
        ],
        [
          'plugin_users-permissions_email',
          { reset_password: { display: 'd', options, design: { rows: [1] } }, email_confirmation: { options: { from } } },
        ],
      ]);
      const report = (reason: string, where: string): void => void lines.push(`${reason} (${where})`);
      await takeSettings(settings, { config, store, report });
      const stored = openCodeStore(store.database);
      expect(await stored.get('plugin_users-permissions_grant')).to.deep.equal({
        google,
        'my own.provider': { enabled: false, subdomain: 'a:80/x' },
        auth0: { enabled: true, key: 'k', secret: 's' },
        discord: { enabled: false },
      });
      expect(await stored.get('plugin_users-permissions_email')).to.deep.equal({ reset_password: { design: { rows: [1] } } });
    });
    const leftOut = 'a setting of the log-in providers is not imported: providers';
    expect(lines).to.have.members([
      'a template of e-mails is not imported: it lacks from, response_email, object or message (email_confirmation)',
      `${leftOut}.auth0.subdomain must be the name of a host (auth0)`,
      `${leftOut}.discord.key must be a text, a number, a boolean or a list of texts (discord)`,
      `${leftOut}.wrong must be an object (wrong)`,
      `${leftOut} must not hold the key "_bsontype" (odd)`,
      'the provider auth0 is switched on, but logs nobody in: its subdomain must be the name of a host (auth0)',
    ]);
  });
});
