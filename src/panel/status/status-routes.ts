import type { Config } from '../../config/config.js';
import { html, type Html } from '../../http/html.js';
import { pageAnswer } from '../../http/page-answer.js';
import type { Answer, Route } from '../../http/route.js';
import { servesPanel } from '../front-end/panel-files.js';
import { openCall, type OpenPanelCall } from '../panel-route.js';
import { may, type Rights, rightsOf } from '../rights/rights.js';
import { instancePage } from './instance-page.js';
import { administratorOfPage, checkOrigin, logIn, logInForm, logOut, ofPages } from './log-in.js';
import { modelPage } from './model-page.js';
import { rulePage } from './rule-page.js';
import type { StatusPage } from './status-page.js';

/** The pages of what the panel cannot show. Their addresses are relative, so that they also work behind a proxy that adds a path. */
const pages: readonly StatusPage[] = [modelPage, instancePage, rulePage];

/** Returns the routes of the pages for administrators. They ignore the credentials of users and API tokens, and those of the panel. */
export function statusRoutes(config: Config): readonly Route[] {
  if (!servesPanel(config)) return [];
  const about = 'models, instances and rules of roles, for administrators';
  const page = { name: 'Status', path: '/_status/models', about };
  return [
    row('GET', '', () => ({ status: 302, headers: { Location: '_status/models' } })),
    ...pages.map((one) => row('GET', `/${one.name}`, (call) => answerPage(one, call))),
    row('POST', '/log-in', (call) => logIn(call, pages)),
    row('POST', '/log-out', (call) => logOut(call, pages)),
  ].map((route, index) => (index === 0 ? { ...route, page } : route));
}

const row = (method: 'GET' | 'POST', path: string, handle: (call: OpenPanelCall) => Answer | Promise<Answer>): Route => ({
  method,
  path: `/_status${path}`,
  action: 'anybody',
  leavesRightsToCode: true,
  handle: async (call) => handle(await openCall(call)),
});

/** Answers with a page; with the form of the log-in if nobody is logged in, or the reason if the administrator may not see the page. */
async function answerPage(page: StatusPage, call: OpenPanelCall): Promise<Answer> {
  checkOrigin(call);
  const administrator = await administratorOfPage(call);
  if (administrator === null) return logInForm(call, { page: page.name });
  const rights = await rightsOf(administrator, call.panel);
  const isAllowed = may(rights, page.right);
  const main = isAllowed ? await page.render({ ...call, rights }) : refusal(page);
  const answer = pageAnswer({ title: `${page.title} – Status`, body: layout(page, rights, main), hasForms: true });
  return { ...answer, status: isAllowed ? 200 : 403, headers: { ...answer.headers, ...ofPages } };
}

const refusal = ({ right }: StatusPage): Html =>
  html`<p class="warnings">Your roles do not grant <code>${right}</code>, which this page needs.</p>`;

const layout = (page: StatusPage, rights: Rights, main: Html): Html =>
  html`<header>
      <h1>${page.title}</h1>
      <form class="log-out" method="post" action="log-out">
        <span class="soft">${rights.administrator.email}</span> <button>Log out</button>
      </form>
      <nav class="tabs" aria-label="Pages">
        <ul>
          ${pages.filter(({ right }) => may(rights, right)).map((one) => link(one, one === page))}
        </ul>
      </nav>
    </header>
    <main>${main}</main>`;

const link = ({ name, title, about }: StatusPage, isCurrent: boolean): Html =>
  html`<li>
    <a href="${name}" ${isCurrent ? html`aria-current="page"` : null}><strong>${title}</strong> <span>${about}</span></a>
  </li>`;
