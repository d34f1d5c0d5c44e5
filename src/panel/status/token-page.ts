import { listTokens } from '../../accounts/api-tokens.js';
import type { ApiToken, TokenType } from '../../auth/api-token.js';
import { html, type Html } from '../../http/html.js';
import type { PanelCall } from '../panel-route.js';
import { code, count, facts, pageOf, pager, type StatusPage, time } from './status-page.js';

/** What each API token may do. */
export const tokenPage: StatusPage = {
  name: 'tokens',
  title: 'API tokens',
  about: 'what programs may do',
  right: 'admin::api-tokens.read',
  render,
};

/** Maximum number of tokens of a page. */
const mostTokens = 25;

/** What tokens of a type may do. */
const kinds: Readonly<Record<TokenType, string>> = {
  'read-only': 'find and findOne of every type',
  'full-access': 'everything on the content API',
  custom: 'the actions that the token lists',
  admin: 'everything on the admin API, /admin/api',
};

async function render({ request, running, content }: PanelCall): Promise<Html> {
  const tokens = await listTokens(content.store);
  const list = pageOf(tokens, request, mostTokens);
  return html`<p>
      ${count(tokens.length, 'token')}${running.secrets.adminToken === '' ? '' : ', and that of the setting ADMIN_TOKEN'}.
    </p>
    <h2>Kinds</h2>
    ${facts(Object.entries(kinds).map(([kind, text]) => [kind, [text]]))}
    <p class="soft">
      Row rules and hidden fields belong to roles of users: they do not restrict tokens. Private fields are hidden from all.
    </p>
    <h2>Tokens</h2>
    ${list.items.map(renderToken)} ${pager(list)}`;
}

const renderToken = ({ name, type, description, permissions, expiresAt, lastUsedAt }: ApiToken): Html =>
  html`<article>
    <header>
      <h3>${name}</h3>
      <span class="soft">${description ?? ''}</span>
    </header>
    ${facts([
      ['Kind', [type]],
      ['May', permissions.length === 0 ? [kinds[type]] : [...permissions].sort().map(code)],
      ['Expires', [expiry(expiresAt)]],
      ['Last used', [lastUsedAt === null ? 'never' : `${time(lastUsedAt)}, to the hour`]],
    ])}
  </article>`;

function expiry(date: Date | null): string {
  if (date === null) return 'never';
  return date > new Date() ? time(date) : `expired on ${time(date)}`;
}
