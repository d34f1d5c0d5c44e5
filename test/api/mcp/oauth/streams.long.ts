import { expect } from 'chai';
import { jwtSecret, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { collectionType } from '../../../support/collection-type.js';
import { userTokens } from '#content/rights/user-tokens.js';
import { listen, type Stream } from '../listening.js';
import { endGrants, registerClient, serveOAuth, tokensOf } from './flow.js';

const models = [collectionType('article', { title: { type: 'string' } }, { pluginOptions: { sync: { enabled: true } } })];

/** Returns an access token that is valid for so many seconds more, with the claims and the key of another one. */
function endingIn(seconds: number, token: string): string {
  const [, payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const key = userTokens(jwtSecret, '1d').derive('oauth access token');
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: 'HS256', typ: 'at+jwt' } as const;
  return userTokens(key, '1d').signClaims({ ...claims, iat: now, exp: now + seconds }, { header });
}

describe('a stream of a client of OAuth, while nothing is written,', () => {
  let server: ServingAccounts;
  const streams: Stream[] = [];

  before(async () => {
    server = await serveOAuth({ models });
  });
  after(async () => {
    for (const { close } of streams) await close();
    await server.stop();
  });

  it('ends within 16 seconds when the grant has ended, when the user is blocked, and when the token has expired', async () => {
    const client = await registerClient(server);
    const users = { ann: await server.addUser('ann'), bob: await server.addUser('bob'), eve: await server.addUser('eve') };
    const follow = async (token: string): Promise<readonly Stream[]> => {
      const opened = [
        await listen(server.server.url, token, ['mangrove://article/1']),
        await listen(server.server.url, token, ['mangrove://types']),
      ];
      streams.push(...opened);
      return opened;
    };
    const tokenFor = async (username: string): Promise<string> => (await tokensOf(server, { client, username })).access_token;
    const [ofAnn, ofBob] = [await follow(await tokenFor('ann')), await follow(await tokenFor('bob'))];
    const ofEve = await follow(endingIn(5, await tokenFor('eve')));
    await endGrants(server, users.ann.jwt);
    await server.admin('PUT', `/users/${String(users.bob.id)}`, { blocked: true });
    for (const { subscription, uris } of [...ofAnn, ...ofBob, ...ofEve]) {
      expect(await subscription.closed).to.equal('graceful');
      expect(uris).to.deep.equal([]);
    }
  });
});
