import { useEffect } from 'react';
import { setLogger } from 'react-query';
import { read } from './client.js';
import { messagesOf } from './texts.js';

/**
 * A part of Mangrove in the panel.
 *
 * @typedef {object} Part
 * @property {string} name its name in `src/admin/api/panel-parts.ts`; without its flag there, nothing of it is shown
 * @property {readonly (readonly [container: string, zone: string, Component: import('react').ComponentType])[]} [zones] components in the
 *   content manager: `['editView', 'informations', Box]`, `['editView', 'right-links', Button]`, `['listView', 'actions', Button]`
 * @property {readonly object[]} [links] links of the main menu, as `addMenuLink` takes them: `Component` returns a
 *   promise of a module
 * @property {readonly (readonly [section: string, link: object])[]} [settings] links of the settings, as `addSettingsLink` takes them
 * @property {(app: object) => void} [bootstrap] what else it does when the panel starts, such as `registerHook`
 */

/** The parts that the service has switched on, by name. It is read after each log-in, before the first page is shown. */
let flags = {};

/** Returns whether the service has switched a part on. */
export const isOn = (name) => flags[name] === true;

/** Logs errors of queries, but no refusals of the service, which pages show. */
const logger = {
  log: console.log,
  warn: console.warn,
  error: (error) => error?.response === undefined && console.error(error),
};

/** Returns a plugin of the panel of Strapi v4 with all parts. */
export const assemble = (parts) => ({
  register(app) {
    setLogger(logger);
    app.registerPlugin({ id: 'mangrove', name: 'Mangrove', isReady: false, initializer: starterOf(parts, app) });
  },
  bootstrap(app) {
    for (const { name, zones = [], bootstrap } of parts) {
      for (const [index, [container, zone, Component]] of zones.entries())
        app.injectContentManagerComponent(container, zone, {
          name: `mangrove-${name}-${index}`,
          Component: ifOn(name, Component),
        });
      bootstrap?.(app);
    }
  },
  registerTrads: async ({ locales }) => locales.map((locale) => ({ locale, data: messagesOf(locale) })),
});

const ifOn = (name, Component) => (props) => (isOn(name) ? <Component {...props} /> : null);

/** Returns the component that asks the service which parts are on, and adds their links, while the panel waits for it. */
function starterOf(parts, app) {
  const linked = new Set();
  const addLinks = ({ name, links = [], settings = [] }) => {
    if (!isOn(name) || linked.has(name)) return;
    linked.add(name);
    for (const link of links) app.addMenuLink(link);
    for (const [section, link] of settings) app.addSettingsLink(section, link);
  };
  return function Starter({ setPlugin }) {
    useEffect(() => {
      let isShown = true;
      const start = (found) => {
        if (!isShown) return;
        flags = found;
        parts.forEach(addLinks);
        setPlugin('mangrove');
      };
      read('/admin/api/panel').then(start, () => start({})); // the panel works without them
      return () => {
        isShown = false;
      };
    }, [setPlugin]);
    return null;
  };
}
