import { useIntl } from 'react-intl';
import { useHistory, useLocation, useParams } from 'react-router-dom';
import { Button, ContentLayout, HeaderLayout, Main, SingleSelect, SingleSelectOption, Typography } from '@strapi/design-system';
import { Trash as Icon } from '@strapi/icons';
import { label } from '../texts.js';
import { DeletedEntries } from './deleted-entries.jsx';
import { useTrashTypes } from './trash-types.js';

const path = '/plugins/mangrove-trash';

/** The page with the deleted entries of types with `options.trash`, and its button in the list of a type. */
export const trash = {
  name: 'trash',
  zones: [['listView', 'actions', TrashButton]],
  links: [
    {
      to: path,
      icon: Icon,
      intlLabel: label('trash.title'),
      permissions: [],
      Component: async () => ({ default: TrashPage }),
    },
  ],
};

const placeOf = (uid) => `${path}?uid=${encodeURIComponent(uid)}`;

function TrashButton() {
  const { formatMessage } = useIntl();
  const { slug } = useParams();
  const { push } = useHistory();
  const { types } = useTrashTypes();
  if (!types.some(({ uid }) => uid === slug)) return null;
  return (
    <Button variant="tertiary" startIcon={<Icon />} onClick={() => push(placeOf(slug))}>
      {formatMessage(label('trash.title'))}
    </Button>
  );
}

function TrashPage() {
  const { formatMessage } = useIntl();
  const { search } = useLocation();
  const { push } = useHistory();
  const { types, isLoading } = useTrashTypes();
  const wanted = new URLSearchParams(search).get('uid');
  const type = types.find(({ uid }) => uid === wanted) ?? types[0];
  return (
    <Main aria-busy={isLoading}>
      <HeaderLayout title={formatMessage(label('trash.title'))} subtitle={formatMessage(label('trash.subtitle'))} />
      <ContentLayout>
        {type === undefined && !isLoading && <Typography>{formatMessage(label('trash.noTypes'))}</Typography>}
        {type !== undefined && (
          <>
            <SingleSelect label={formatMessage(label('trash.type'))} value={type.uid} onChange={(uid) => push(placeOf(uid))}>
              {types.map(({ uid, info }) => (
                <SingleSelectOption key={uid} value={uid}>
                  {info.displayName}
                </SingleSelectOption>
              ))}
            </SingleSelect>
            <DeletedEntries key={type.uid} type={type} />
          </>
        )}
      </ContentLayout>
    </Main>
  );
}
