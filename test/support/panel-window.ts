import type { Page, Response } from 'playwright-core';
import type { PanelSender } from './administrators.js';

/** A window of the panel, which notes what goes wrong in it. */
export interface PanelWindow {
  readonly page: Page;
  /** Requests that the service refuses, errors of the console, what the policy blocks, and pages that do not end to load. */
  readonly faults: string[];
  /** Opens a page by its path below that of the panel, and waits until it is complete. */
  readonly visit: (path: string) => Promise<void>;
  /** Waits until the page asks for nothing and shows no spinner; `what` names the step in a fault. */
  readonly settle: (what: string) => Promise<void>;
}

interface WindowInput {
  readonly url: string;
  readonly send: PanelSender;
  /** The first part of the e-mail address of an administrator. */
  readonly as: string;
  readonly openPage: () => Promise<Page>;
}

/** Refusals that the panel of Strapi v4 asks for. */
const asked: readonly (readonly [status: number, path: RegExp])[] = [
  [404, /\/relations\/[^/]+\/undefined\//], // relations of an entry that is not stored yet
  [404, /\/content-manager\/single-types\//], // a single type without an entry
  [503, /\/_health$/], // the panel waits for one failure after a change of models
  [403, /\/admin\/project-settings$/], // the logos, which each page asks for, whatever the role
];

/** Code of pages that tells what the policy blocks. */
const tellViolations = `addEventListener('securitypolicyviolation', ({ blockedURI }) => console.error('blocked by the policy: ' + blockedURI));`;

/** What the console repeats of other faults, and hints of React. */
const noise = /^Warning: |^Failed to load resource/;

const patience = 45_000;

/** Opens the panel for an administrator of `openAdministrators`, who is logged in. */
export async function openWindow({ url, send, as, openPage }: WindowInput): Promise<PanelWindow> {
  const page = await openPage();
  await page.setViewportSize({ width: 1400, height: 1000 });
  page.setDefaultTimeout(patience);
  const { body } = await send('', 'POST', '/admin/login', { email: `${as}@test.test`, password: 'Password1' });
  await page.addInitScript(tellViolations);
  const stored = { jwtToken: body.data.token as string, userInfo: body.data.user as object };
  for (const [name, value] of Object.entries(stored))
    await page.addInitScript(
      `if (origin === '${url}') localStorage.setItem('${name}', ${JSON.stringify(JSON.stringify(value))})`, // not in frames of others
    );
  const faults: string[] = [];
  noteFaults(page, url, faults);
  const settle = settler(page, faults);
  const visit = async (path: string): Promise<void> => {
    await page.goto(`${url}/admin${path}`);
    const main = page.locator('main:not([aria-busy=true]), h1').filter({ hasText: /\w/ });
    await main
      .first()
      .waitFor()
      .catch(() => faults.push(`${path}: an empty page`));
    await settle(path);
  };
  return { page, faults, visit, settle };
}

function noteFaults(page: Page, url: string, faults: string[]): void {
  page.on('response', (response) => void describeRefusal(response).then((fault) => fault !== null && faults.push(fault)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) faults.push(`asks ${request.url()}`);
  });
  page.on('pageerror', (error) => faults.push(`error of the page: ${String(error)}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !noise.test(message.text())) faults.push(`console: ${message.text().slice(0, 300)}`);
  });
}

async function describeRefusal(response: Response): Promise<string | null> {
  const status = response.status();
  const { pathname, search } = new URL(response.url());
  if (status < 400 || asked.some(([code, path]) => code === status && path.test(pathname))) return null;
  const request = response.request();
  const sent = request.postData()?.slice(0, 300) ?? '';
  const text = await response.text().catch(() => '');
  return `${String(status)} ${request.method()} ${pathname}${search} ${sent} ${text.slice(0, 300)}`;
}

function settler(page: Page, faults: string[]): PanelWindow['settle'] {
  let open = 0;
  let wake = (): void => undefined;
  page.on('request', () => (open += 1));
  const end = (): void => {
    open -= 1;
    if (open <= 0) wake();
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  const quiet = (): Promise<void> => (open <= 0 ? Promise.resolve() : new Promise((resolve) => (wake = resolve)));
  return async (what) => {
    const spinner = page.getByText(/^Loading content/).first();
    do {
      await Promise.race([quiet(), page.waitForTimeout(patience)]);
      if (open > 0) return void faults.push(`${what}: requests without an end`);
      await spinner.waitFor({ state: 'hidden' }).catch(() => faults.push(`${what}: an endless spinner`));
    } while (open > 0);
  };
}
