"""Links that may change something on the server, judged by their address: a search never requests them.

A server should change nothing for a GET, but many do: ``/cart/add/5``, ``/logout``, ``/toggle/5``. The lists have the
words of the languages most used on the web. Words that often name pages of content ("post", "book", "report") are left
out. Of the 19,197 links of 56 saved sites, at most 1 in 100 is refused that acts on nothing (tests/crawl).
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import parse_qsl, unquote, urlsplit

# a path segment that is one of these words, or has one of them as one of two words
_VERBS = """
    abort accept activate approve ban block borrow buy cancel claim clear confirm create deactivate decline
    delete deploy destroy disable dislike donate downvote drop edit emailuser empty enable end erase exec execute
    exit favorite favourite flag flush follow freeze hide impersonate import invite kill leave like lock mark mercy
    merge move mute nudge order pay pin poke protect publish purchase purge quit react reactivate reboot redeem refund
    reindex reject remove rename renew reopen reply resend reserve reset resign restart restore retract revert revoke
    rollback rsvp send shutdown signup star submit subscribe suspend sync toggle track transfer trash trigger
    truncate unarchive unban unblock undelete undeploy undo unfavorite unfavourite unflag unfollow unfriend unhide
    unlike unlink unlock unmark unmute unpin unprotect unpublish unreact unstar unsub unsubscribe unsuspend unvote
    unwatch update upload upvote validate verify vote wink wipe withdraw
    abbestellen entfernen erstellen hinzufugen hinzufuegen kaufen bestellen kundigen kuendigen loschen loeschen
    stornieren verschieben
    acheter ajouter annuler commander desabonner effacer renommer sabonner supprimer
    agregar anadir anular borrar cancelar comprar eliminar pedido suscribirse
    adicionar apagar encomendar excluir remover
    acquista aggiungi annulla cancella elimina ordina sposta
    annuleren bestellen toevoegen verwijderen wissen paginahernoemen
    anuluj dodaj kup przenies usun zamow kop radera tabort laggtill kjop slett slet kob poista osta koupit pridat
    smazat torles ekle satinal sil adauga cumpara sterge beli hapus tambah mua xoa
    вступить добавить заказать купить отменить отписаться переименовать подписаться проголосовать удалить
    dobavit kupit otmenit podpisatsya udalit видалити додати купити скасувати αγορα διαγραφη
    اشتراك حذف شراء ลบ
    """
# a path segment that is one of these words, or has one of them among up to three words
_SESSIONS_AND_CARTS = """
    addtobag addtobasket addtocart addtowishlist checkout deregister logoff logout optin optout register signoff signout
    abmelden anmelden ausloggen benutzerabmeldung einloggen warenkorb connexion deconnecter deconnexion panier carrito
    cerrarsesion finalizar finalizarsesion iniciarsesion salir carrinho sair terminarsessao carrello disconnetti esci
    afmelden inloggen uitloggen winkelwagen winkelmandje wyloguj wylogujsie zaloguj kundvagn loggain loggaut loggut
    logginn logud brugerlogud indkobskurv kurv varukorg kirjauduulos ostoskori odhlasit odhlaseni odhlasitse
    kijelentkezes kilepes cikis cıkıs oturumukapat kullanicioturumukapat deconectare iesire dezautentificare cos
    завершениесеанса завершенсеанса завершеннясеансу вихід выйти выход выхад вийти изход изходирай izlaz odjava odjavise
    одјава vyhod vyiti aafmelje afmellen elsaluti saioaitxi finalitzasessio valjalogimine atsijungti iziet dalje
    αποσυνδεση αποσυνδεσηχρηστη keluar keluarlog giohang dangxuat خروج تسجيلالخروج خروجازسامانه سلة יציאה
    יציאהמהחשבון התנתקות लॉगआउट प्रस्थान
    """
# the same, in all their forms
_STEMS = ("корзин", "кошик", "koszyk", "kosik", "kosar", "sepet", "keranjang", "καλαθ", "ostoskor", "korzin")
# words that are written without spaces: a short segment that contains one
_UNSPACED = re.compile(
    "购物车|購物車|加入|删除|刪除|退出|登出|注销|註銷|购买|購買|结算|結算|结账|結帳|下单|订阅|訂閱|退订|收藏|点赞|投票"
    "|カート|かご|カゴ|削除|購入|注文|退会|ログアウト|いいね|お気に入り"
    "|장바구니|로그아웃|삭제|구매|주문|결제|탈퇴|구독|담기"
    "|ตะกร้า|ออกจากระบบ|สั่งซื้อ"
)
_MAX_UNSPACED = 12  # characters of such a segment: a longer one is a title
_MAX_WORDS = 3  # words of a segment: a longer one is a title
_LOGIN = re.compile(
    r"(?:account|admin|ajax|app|auto|customer|do|member|my|page|process|site|sso|user|wp)*"
    r"(?:(?:log|sign)-?(?:in|off|on|out)|signup)"
)
_OBJECTS = re.compile(
    r"(?:add|clear|delete|empty|remove|save|update)(?:to|from|my|the|all)*"
    r"(?:account|bag|basket|cart|comment|compare|favou?rites?|friend|items?|list|post|trash|trolley|user|wishlist)s?"
)
_ACTION_KEY = re.compile(
    r"act|action|add|add-to-cart|buy|cancel|clear|cmd|command|confirm|csrf\w*|delete\w*|do|empty\w*|jsessionid|logout"
    r"|mark|method|nonce|op|operation|phpsessid|poke|remove\w*|replyto\w*|sessid|sid|task|toggle|token|unsubscribe"
    r"|(?:un)?(?:ban|block|follow|like|lock|mute|pin|publish|sub|subscribe|vote|watch)|_?wpnonce",
    re.IGNORECASE,
)
_NAME_END = re.compile(r"[.;]")
_BETWEEN_WORDS = re.compile(r"[-_+~]+")
_CASE_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _plain(segment: str) -> str:
    """Return the letters and figures of a segment, without marks and case."""
    letters = unicodedata.normalize("NFKD", segment.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


_VERB_SET = frozenset(map(_plain, _VERBS.split())) | {"add", "cart", "basket", "trolley"}
_ANYWHERE = frozenset(map(_plain, _SESSIONS_AND_CARTS.split()))


def _is_action(segment: str) -> bool:
    """Return whether a path segment, or a value in a query, names an action."""
    segment = _NAME_END.split(segment, maxsplit=1)[0]
    namespace, _, name = segment.rpartition(":")
    if namespace:
        # Special:MovePage, and the same in other languages
        segment = _CASE_CHANGE.sub("_", name)
    if len(segment) <= _MAX_UNSPACED and _UNSPACED.search(segment):
        return True
    words = [word for word in map(_plain, _BETWEEN_WORDS.split(segment)) if word]
    whole = "".join(words)
    if whole in _VERB_SET | _ANYWHERE or _LOGIN.fullmatch(whole) or _OBJECTS.fullmatch(whole):
        return True
    if len(words) > _MAX_WORDS:
        return False
    if len(words) == 2 and not _VERB_SET.isdisjoint(words):
        return True
    return any(word in _ANYWHERE or word.startswith(_STEMS) or _LOGIN.fullmatch(word) for word in words)


def acts(url: str) -> bool:
    """Return whether a link may change something on the server, judged by its path segments and its query."""
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        return True
    if any(_is_action(segment) for segment in unquote(parts.path).split("/") if segment):
        return True
    return any(
        _ACTION_KEY.fullmatch(key.rstrip("[]")) or any(map(_is_action, value.split("/")))
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
    )
