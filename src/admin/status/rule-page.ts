import { type Audience, readAudience } from '#content/rights/is-open.js';
import { readRoles, type Role } from '#content/rights/role.js';
import { hiddenBy } from '#content/rights/role-access.js';
import { html, type Html } from '#http/page-answer.js';
import { commandLine } from '#base/command-line.js';
import type { Registry } from '#model/schema/content-type.js';
import type { PanelCall } from '../panel-route.js';
import { code, count, facts, numberIn, pageOf, pager, type StatusPage } from './status-page.js';
import { appendTo } from '#base/values.js';

/** What each role of users may do on the content API, with its row rules and hidden fields. */
export const rulePage: StatusPage = {
  name: 'rules',
  title: 'Rules',
  about: 'actions, row rules and hidden fields of the roles of users',
  right: 'plugin::users-permissions.roles.read',
  render,
};

/** Maximum numbers of roles that are linked, and of types of a page. */
const most = { roles: 100, types: 25 };

async function render({ request, running, content }: PanelCall): Promise<Html> {
  const [{ byId }, audience] = await Promise.all([readRoles(content.store.database), readAudience(running)]);
  const roles = [...byId.values()];
  const chosen = byId.get(numberIn(request, 'role')) ?? roles[0];
  return html`${running.accounts === null ? html`<p class="warnings">Users and permissions are disabled.</p>` : null}
    ${warnings[audience] === '' ? null : html`<p class="warnings">${warnings[audience]}</p>`}
    <nav aria-label="Roles">
      <ul>
        ${roles.slice(0, most.roles).map((role) => link(role, role === chosen))}
      </ul>
      ${roles.length > most.roles ? html`<p>and ${roles.length - most.roles} more</p>` : null}
    </nav>
    ${chosen === undefined ? null : renderRole(chosen, content.bind.registry, request)}
    <p class="soft">
      Types without a line for entries or fields are not restricted beyond the actions. In rules, <code>$user.id</code> is the id
      of the user who asks. This page only shows them; change them by <code>${commandLine('rules set ROLE FILE')}</code> and
      actions in the panel, in Settings.
    </p>`;
}

const warnings: Readonly<Record<Audience, string>> = {
  everybody: 'The service is open (api.open): everybody may do everything, whatever the roles say.',
  local: 'Until there is a user or a grant, programs on this machine may do everything, whatever the roles say.',
  nobody: '',
};

const link = ({ id, name, type, rules }: Role, isCurrent: boolean): Html =>
  html`<li>
    <a href="?role=${id}" ${isCurrent ? html`aria-current="page"` : null}>
      <strong>${name}</strong> ${type}${rules === null ? '' : ', with rules'}
    </a>
  </li>`;

function renderRole(role: Role, registry: Registry, request: PanelCall['request']): Html {
  const hidden = hiddenBy(role.rules?.fields ?? {}, registry);
  const actions = actionsByType(role);
  const rows = role.rules?.rows ?? {};
  const uids = [...new Set([...actions.keys(), ...Object.keys(rows), ...hidden.keys()])].sort();
  const list = pageOf(uids, request, most.types);
  return html`<h2>${role.name}</h2>
    <p class="soft">${count(role.actions.size, 'action')}, ${count(Object.keys(rows).length, 'row rule')}</p>
    ${list.items.map(
      (uid) =>
        html`<article>
          <header>
            <h3>${registry.types.get(uid)?.displayName ?? uid}</h3>
            <code class="soft">${uid}</code>
          </header>
          ${facts([
            ['May', actions.get(uid)?.sort() ?? ['nothing']],
            ['Only entries with', Object.hasOwn(rows, uid) ? [code(JSON.stringify(rows[uid]))] : []],
            ['Hidden fields', [...(hidden.get(uid) ?? [])].sort()],
          ])}
        </article>`,
    )}
    ${pager(list, `role=${String(role.id)}&`)}`;
}

/** Returns the last parts of a role's actions, by what is before it. */
function actionsByType({ actions }: Role): Map<string, string[]> {
  const byType = new Map<string, string[]>();
  for (const action of actions) {
    const end = action.lastIndexOf('.');
    appendTo(byType, action.slice(0, end), action.slice(end + 1));
  }
  return byType;
}
