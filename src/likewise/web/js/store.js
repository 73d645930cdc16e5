// Browser storage that may be full or switched off: then what was kept is simply not there.

/** @param {() => Storage} place */
function over(place) {
  return {
    /** @param {string} key @returns {string | null} */
    get(key) {
      try {
        return place().getItem(key);
      } catch {
        return null;
      }
    },
    /** @param {string} key @param {string} value @returns {boolean} whether it was kept */
    set(key, value) {
      try {
        place().setItem(key, value);
        return true;
      } catch {
        return false;
      }
    },
    /** @param {string} key */
    remove(key) {
      try {
        place().removeItem(key);
      } catch {
        // Then there was nothing.
      }
    },
  };
}

/** Until the tab is closed. */
export const session = over(() => sessionStorage);
/** From now on. */
export const local = over(() => localStorage);
