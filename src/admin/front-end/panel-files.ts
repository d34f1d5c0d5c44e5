import { type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Config } from '#settings/config.js';

/** A panel that was built: absolute paths by the path below the panel's own. Only what is listed here is ever served. */
export interface PanelFiles {
  readonly page: string;
  readonly files: ReadonlyMap<string, string>;
}

const pageName = 'index.html';

/** Returns the folders that may have a panel: that of the setting, and those that `strapi build` writes in a project. */
const foldersOf = ({ directory, admin }: Config): readonly string[] =>
  [admin.panel.directory, 'build', 'dist/build'].map((folder) => resolve(directory, folder));

/** Returns whether a panel has been built. */
export const hasPanel = (config: Config): boolean =>
  servesPanel(config) &&
  foldersOf(config).some((folder) => statSync(join(folder, pageName), { throwIfNoEntry: false })?.isFile());

/** Returns whether the pages of the panel are served, if it has been built. */
export const servesPanel = ({ admin }: Config): boolean => admin.enabled && admin.serveAdminPanel;

/** Returns a function that returns the panel; null if none has been built. The folder is listed again after it was built anew. */
export function panelFinder(config: Config): () => Promise<PanelFiles | null> {
  let cached: { readonly key: string; readonly panel: Promise<PanelFiles> } | null = null;
  return async () => {
    const panelFolder = await findFolder(config);
    if (panelFolder === null) return (cached = null);
    const { folder, key } = panelFolder;
    if (cached?.key !== key) cached = { key, panel: listFiles(folder) };
    return cached.panel;
  };
}

interface FoundFolder {
  readonly folder: string;
  /** Differs after the folder was built anew. */
  readonly key: string;
}

async function findFolder(config: Config): Promise<FoundFolder | null> {
  for (const folder of foldersOf(config)) {
    const page: Stats | null = await stat(join(folder, pageName)).catch(() => null);
    if (page?.isFile() === true) return { folder, key: `${folder} ${String(page.mtimeMs)} ${String(page.ino)}` };
  }
  return null;
}

/** Lists the files of a folder. Links, hidden files and source maps are left out. */
async function listFiles(folder: string): Promise<PanelFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const served = paths.map((path) => [path.slice(folder.length + 1).replaceAll(sep, '/'), path] as const);
  return { page: join(folder, pageName), files: new Map(served.filter(([name]) => !/(^|\/)\.|\.map$/.test(name))) };
}
