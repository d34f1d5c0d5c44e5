import { Calendar } from '@strapi/icons';
import { Route, Switch } from 'react-router-dom';
import { label } from '../texts.js';
import { EntryReleases } from './entry-releases.jsx';
import { ReleaseList } from './release-list.jsx';
import { ReleasePage } from './release-page.jsx';
import { page } from './release-texts.js';

/** Releases: a page of the menu, and in the side of a form those that have the entry. */
export const releases = {
  name: 'releases',
  zones: [['editView', 'informations', EntryReleases]],
  links: [
    {
      to: page,
      icon: Calendar,
      intlLabel: label('release.title'),
      permissions: [],
      Component: async () => ({ default: ReleasePages }),
    },
  ],
};

const ReleasePages = () => (
  <Switch>
    <Route path={`${page}/:id`} component={ReleasePage} />
    <Route component={ReleaseList} />
  </Switch>
);
