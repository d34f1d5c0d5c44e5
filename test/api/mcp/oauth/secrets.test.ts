import { expect } from 'chai';
import { accessToken, formToken, grantToken, readAccessToken, readFormToken, readGrantToken } from '#api/mcp/oauth/tokens.js';
import { userTokens } from '#content/rights/user-tokens.js';

const [old, fresh] = ['j'.repeat(32), 'J'.repeat(32)];
const addresses = { issuer: 'https://cms.test/oauth', resource: 'https://cms.test/mcp', metadata: '' };
const claims = { grant: 'a'.repeat(22), user: 7, client: 'https://client.test/a.json', scope: 'content:read' };

describe('tokens of OAuth after a new secret', () => {
  const before = userTokens(old, '1d');
  const rotated = userTokens(fresh, '1d', old);
  const without = userTokens(fresh, '1d');
  const access = accessToken(claims, addresses, before);

  it('are valid as long as the former one is given', () => {
    expect(readAccessToken(access, addresses, rotated)).to.deep.equal(claims);
    expect(readAccessToken(access, addresses, without)).to.equal('token_invalid');
    const form = formToken({ a: 1 }, 'consent', before);
    expect(readFormToken(form, 'consent', rotated)).to.include({ a: 1 });
    expect(readFormToken(form, 'consent', without)).to.equal(null);
    const code = grantToken('code', { grant: claims.grant, count: 0 }, before);
    expect(readGrantToken('code', code, rotated)).to.deep.equal({ grant: claims.grant, count: 0 });
  });

  it('are those of the new one too, and none of a third one', () => {
    expect(readAccessToken(accessToken(claims, addresses, rotated), addresses, rotated)).to.deep.equal(claims);
    const foreign = accessToken(claims, addresses, userTokens('x'.repeat(32), '1d'));
    expect(readAccessToken(foreign, addresses, rotated)).to.equal('token_invalid');
  });

  it('say that they have expired, also with the former one', () => {
    const seconds = Math.floor(Date.now() / 1000) - 60;
    const expired = userTokens(old, '1d').signClaims({ exp: seconds, iat: seconds - 60 });
    expect(() => rotated.claimsOf(expired)).to.throw('jwt expired');
  });
});
