import type { Answer, Serving } from './serve.js';

/** A permission of a role. */
interface TestPermission {
  /** The last part of an action on content, or another action by its full name. */
  readonly action: 'create' | 'read' | 'update' | 'delete' | 'publish' | `${string}::${string}`;
  readonly subject?: string;
  readonly fields?: readonly string[];
  readonly locales?: readonly string[];
  readonly conditions?: readonly string[];
}

/** The permissions of the roles of administrators, by the first part of their e-mail addresses. */
export type Administrators = Readonly<Record<string, readonly (readonly TestPermission[])[]>>;

/** Sends a request of an administrator. */
export type PanelSender = (as: string, method: string, path: string, body?: unknown) => Promise<Answer>;

const password = 'Password1';

/**
 * Registers the first administrator, `super`, and one of each name with these roles. Returns a function that sends their requests.
 */
export async function openAdministrators({ server }: Serving, administrators: Administrators): Promise<PanelSender> {
  const tokens = new Map<string, string>();
  const send: PanelSender = async (as, method, path, body) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.get(as) ?? ''}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };
  const first = await send('', 'POST', '/admin/register-admin', { email: 'super@test.test', firstname: 'super', password });
  tokens.set('super', String(first.body.data.token));
  const createRole = async (name: string, permissions: readonly TestPermission[]): Promise<number> => {
    const role = Number((await send('super', 'POST', '/admin/roles', { name })).body.data.id);
    const stored = await send('super', 'PUT', `/admin/roles/${String(role)}/permissions`, {
      permissions: permissions.map(bodyOf),
    });
    if (stored.status !== 200) throw new Error(JSON.stringify(stored.body));
    return role;
  };
  for (const [name, lists] of Object.entries(administrators)) {
    const roles = await Promise.all(lists.map((permissions, index) => createRole(`${name} ${String(index)}`, permissions)));
    const invited = await send('super', 'POST', '/admin/users', { email: `${name}@test.test`, firstname: name, roles });
    const { registrationToken } = invited.body.data as { registrationToken: string };
    const registered = await send('', 'POST', '/admin/register', {
      registrationToken,
      userInfo: { firstname: name, password },
    });
    tokens.set(name, String(registered.body.data.token));
  }
  return send;
}

const bodyOf = ({ action, subject, fields, locales, conditions = [] }: TestPermission): object => ({
  action: action.includes('::') ? action : `plugin::content-manager.explorer.${action}`,
  subject: subject ?? null,
  properties: { ...(fields && { fields }), ...(locales && { locales }) },
  conditions,
});
