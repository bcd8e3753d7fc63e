//! Words that mean the same in the languages people work in: a question in one language may be answered in another.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::fold;

/// Returns the other words of a group that a folded word belongs to, as they are written.
pub(super) fn equivalents(folded: &str) -> &'static [&'static str] {
    GROUPS.get(folded).map_or(&[], |group| group)
}

static GROUPS: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<&str>> = HashMap::new();
    for line in WORDS.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for word in &words {
            let group = groups.entry(fold(word)).or_default();
            group.extend(words.iter().filter(|other| fold(other) != fold(word)));
        }
    }
    groups
});

/// A group on each line. Words that mean much else besides are left out.
const WORDS: &str = "\
disk Platte Festplatte disque disco 磁盘 ディスク
full filled fill voll gefüllt plein rempli lleno cheio
file files Datei Dateien fichier fichiers archivo archivos arquivo arquivos 文件 ファイル
error errors Fehler erreur erreurs errores erro erros 错误 エラー
failure failed fails Fehlschlag échec échoue fallo falla falhou falha 失败 失敗
test tests Tests essai prueba pruebas teste testes 测试 テスト
delete deleted deleting remove removed löschen gelöscht supprimer supprimé borrar eliminar apagar 删除 削除
missing miss fehlt fehlen fehlte manque manquant falta faltan faltam 缺少 不足
month months Monat Monate mois mes meses mês 月
week weeks Woche Wochen semaine semana semanas 周
day days Tag Tage jour jours día días dia dias
second seconds Sekunde Sekunden seconde secondes segundo segundos 秒
minute minutes Minuten minutos 分钟
slow langsam lent lento 慢 遅い
fast quick schnell rapide rápido 快 速い
server Server serveur servidor 服务器 サーバー
production prod Produktion produção producción 生产 本番
database Datenbank base datos dados 数据库 データベース
backup backups Sicherung sauvegarde copia respaldo 备份 バックアップ
device devices Gerät Geräte appareil appareils dispositivo dispositivos 设备 端末
change changes Änderung Änderungen changement changements cambio cambios mudança mudanças
read reads lesen liest lire lit leer lee lectura ler lê leitura
write writes schreiben écrire escribir escrever
note notes Notiz Notizen notas
link links Link enlace enlaces lien liens
broken kaputt defekt cassé roto rotos quebrado corrupt corrupted beschädigt corrompido corrompidos
invoice invoices Rechnung Rechnungen facture factures factura facturas fatura faturas 发票 請求書
price prices Preis Preise prix precio precios preço preços 价格 価格
tax VAT MwSt Mehrwertsteuer Umsatzsteuer TVA IVA
rate rates Satz taux tasa taxa
lock locks locked Sperre gesperrt verrou verrous verrouiller bloqueo candado bloqueio 锁 ロック
batch batches Stapel lot lots lote lotes
certificate certificates Zertifikat certificat certificado 证书 証明書
expired abgelaufen expiré caducado vencido expirado 过期
login Anmeldung connexion inscription
password Passwort Kennwort contraseña senha 密码 パスワード
authentication auth authenticate Authentifizierung authentification autenticación autenticação 认证 認証
limit limiting limiter ratelimit Begrenzung limite límite 限流 制限
request requests Anfrage Anfragen requête requêtes petición solicitud 请求 リクエスト
order Reihenfolge ordre orden ordem 顺序 順番
upload uploads hochladen téléverser subir enviar 上传 アップロード 送信
download downloads herunterladen télécharger descargar baixar 下载 ダウンロード
progress Fortschritt progression progreso progresso 进度 進捗
screen Bildschirm écran pantalla tela 屏幕 画面
record records Datensatz enregistrement registro registros 记录 記録
duplicate duplicates double doppelt doublon doublons duplicado duplicados 重复 二重 重複
cache caches Zwischenspeicher 缓存 キャッシュ
memory Speicher Arbeitsspeicher mémoire memoria memória 内存 メモリ
search Suche suchen recherche búsqueda busca 搜索 検索
sync synchronise synchronize synchronisieren synchroniser sincronizar sincronización 同步 同期
station stations Stationen estación estaciones estação estações
weather Wetter météo clima tempo 天气
dangerous risky destructive gefährlich dangereux peligroso perigoso niemals STOPP
dead orphaned inactive verwaist inaktiv
replication Replikation réplication replicación replicação
rollback Rückrollen retour arrière reversión
procedure Verfahren Ablauf procédure procedimiento procedimento runbook
rounding round Rundung arrondi redondeo arredondamento
report reports Bericht rapport informe relatório 报告 レポート
match matches equal same identical differ differs difference gleich unterschied identique différence igual iguales diferencia
manual manually hand Hand
fifth 5th
fourth 4th
third 3rd
flaky unreliable intermittent sporadic sometimes instabil instable";
