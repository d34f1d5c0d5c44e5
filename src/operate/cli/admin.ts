import { randomBytes } from 'node:crypto';
import type { ContentContext } from '#content/content-context.js';
import { findAdministrator, readAdminRoles, superAdminCode } from '#admin/administrators/administrator.js';
import {
  changeAdministrator,
  insertAdministrator,
  isEmailTaken,
  registration,
} from '#admin/administrators/write-administrator.js';
import { checkPanelBody } from '#admin/check-body.js';
import { createDefaultAdminRoles } from '#admin/rights/default-roles.js';
import { is } from '#store/form/matches.js';
import { passwordOption, printNewPassword, readAccountArguments, readArguments, readPassword } from './passwords.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { print } from './print.js';
import { parseOptions, requiredArgument, text, texts } from './usage-error.js';

export const usage = `usage: npx mangrove admin <command>
  create --email ADDRESS [--firstname NAME] [--lastname NAME] [--role CODE]... [--password]
                               create an administrator, who edits content in the admin panel;
                               the default role is ${superAdminCode}, which has all rights
  reset-password ADDRESS [--password]
                               set a new password; the administrator is logged out everywhere, and is no longer
                               the one of a single sign-on
  With --password the password is read from a prompt or standard input, or from MANGROVE_ADMIN_PASSWORD; without it,
  one is generated and printed.`;

function readCreate(args: readonly string[]) {
  const options = { email: text, firstname: text, lastname: text, role: texts, ...passwordOption };
  const { email, role = [superAdminCode], ...others } = readArguments(args, (words) => parseOptions(words, options));
  return { ...others, role, email: requiredArgument(email, '--email').toLowerCase() };
}

const create: Command = async ({ content }, args) => {
  const { email, firstname = email.split('@')[0] ?? email, lastname = null, role, password } = readCreate(args);
  await createDefaultAdminRoles(content);
  const roles = await roleIds(role, content);
  if (await isEmailTaken(email, content)) throw new Error(`there is an administrator ${email} already`);
  const word = await choosePassword(email, password);
  const values = await checkPanelBody(registration, { email, firstname, lastname, password: word });
  await insertAdministrator({ ...values, lastname, isActive: true, roles }, content);
  if (password) print(`created ${email}`);
  else printNewPassword(word, email);
};

function readReset(args: readonly string[]) {
  const { name, password } = readAccountArguments(args);
  return { email: requiredArgument(name, 'the e-mail address of an administrator').toLowerCase(), password };
}

const resetPassword: Command = async ({ content }, args) => {
  const { email, password } = readReset(args);
  if ((await findAdministrator(content.store.database, { email: is.exactly(email) })) === null)
    throw new Error(`there is no administrator ${email}`);
  const word = await choosePassword(email, password);
  await checkPanelBody(registration.pick(['password']), { password: word });
  const values = { password: word, isActive: true, registrationToken: null, resetPasswordToken: null, _identity: null };
  await changeAdministrator({ email: is.exactly(email) }, values, content);
  if (password) print(`the password of ${email} is set; earlier log-ins no longer work`);
  else printNewPassword(word, email);
};

/** Returns a password that was given, or a generated one. */
async function choosePassword(email: string, isGiven: boolean): Promise<string> {
  if (!isGiven) return `${randomBytes(12).toString('base64url')}-aA1`; // meets the rules whatever the bytes are
  return process.env['MANGROVE_ADMIN_PASSWORD'] ?? readPassword(`password of ${email}`);
}

async function roleIds(codes: readonly string[], { store }: ContentContext): Promise<readonly number[]> {
  const roles = [...(await readAdminRoles(store.database)).values()];
  return codes.map((code) => {
    const role = roles.find((candidate) => candidate.code === code || candidate.name === code);
    if (role !== undefined) return role.id;
    throw new Error(
      `there is no role ${code} of administrators; there are: ${roles.map((candidate) => candidate.code).join(', ')}`,
    );
  });
}

export const run = serviceCommands('admin', {
  create: changing(create, readCreate),
  'reset-password': changing(resetPassword, readReset),
});
