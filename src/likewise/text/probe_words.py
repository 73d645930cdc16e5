"""Words by which a stemmer is known again, by language: see probe.py.

First those that PyStemmer 2.2, 3.0 and 3.1 stem differently, the most frequent first, then frequent
ones with endings of many kinds. For English, these are all such words of 182,000 in some forty
collections. Words may be added: an index keeps those that it was made with.
"""

WORDS = {
    "arabic": """
        الملف القائمة الودجة النافذة اللون المستوى العرض الطابعة الإنجليزية القيمة العلامة
        الشارة اليسار العنصر أرشيف العمودي المتحدة الصورة المستخدم اليمين الأفقي الولايات
        بيانات أثناء
    """,
    "armenian": """
        համար հանրապետություն չհաջողվեց արժեքը պատկերակի անվավեր հաջողվել տառատեսակի
        ցուցադրել լայնությունը որպես քանակը պարունակում պատուհանի սահմանված հաջողվում
        հիշողությունը ուղղահայաց պատկերային ֆորմատ հատկացնել հորիզոնական ընթացիկ պիտակը
    """,
    "basque": """
        fitxategia adierazten fitxategi errepublika aukera tamaina zabalera etiketa
        baliogabea sarrera aldatu dokumentua dagoen onartzen aurkitu honek fitxategiak
        pakete trepeta beharreko sortu ezezaguna aukerak hizkuntzak
    """,
    "catalan": """
        fitxer pogut error tipus fitxers entrada valor directori opció línia vàlid només
        format opcions produït memòria estat imatge nombre etiqueta paquet versió ordre
        sense
    """,
    "czech": """
        systému paměti získat nejsou návratový zobrazovat skupiny prosím skupina používat
        budou každého nového vypsat během znakem skupinu zadat algoritmus kterou posledního
        časový systém zdrojový
    """,
    "danish": """
        eller kunne ingen ugyldig ugyldigt bruger dette bruges filen efter angivet
        mislykkedes samme linjer indeholder vises
    """,
    "dutch": """
        voor geen worden naar tonen naam door gegeven deze mislukt gebruiken gebruik waarde
        gebruikt teken alleen heeft opties type talen waar lezen instellen alle gevonden
        aanmaken huidige maar getal gebruiker gebarentaal maken ongeldige ongeldig bestanden
        verwijderen waarschuwing grootte argumenten onbekende
    """,
    "dutch_porter": """
        worden tonen ongeldige gegeven gebruiken ongeldig verwijderen talen lezen
        waarschuwing tekenreeks grootte argumenten onbekende plaats pakketten koppeling
        beschikbaar tussen onbekend geheugen afbeelding samen mappen
    """,
    "english": """
        university added international internal interval organization adding organic
        intervals universal lateral organizations emergency organisms organized emergence
        organizing organism evening paste internally universities emergent radiologists
        interfering radiologist organize interstate universally internals organizer
        internationally organically biologists pathologists cardiologist emergencies
        oncologists interfered internalization neurologist neurologists laterally pasting
        oncologist pathologist apologists dermatologist psychologists cardiologists
        gastroenterologists organizes pasted evenings internalized urologists organizers
        rheumatologist rheumatologists gastroenterologist technologists meteorologist
        laterality urologist sociologists universality endocrinologist organics apologist
        nephrologists pulmonologist lateralization lateralized offing biologist nephrologist
        pastes sociologist epidemiologists geologists psychologist skis gynecologists
        ophthalmologist dermatologists meteorologists microbiologist ophthalmologists
        universals anesthesiologists erring gynecologist internalizing toxicologist
        anthropologists cytopathologist erred interstates technologist toxicologists vying
        anthropologist archeologist offed anesthesiologist ecologists epidemiologist
        hematologists internalize pulmonologists seismologist immunologists interscience
        neonatologists neurophysiologists neuropsychologist ontologist paleontologist
        pharmacologist pharmacologists virologists archeologists cryptologist ecologist
        egged emergently epping geologist gerontologists hepatologists ideologists
        microbiologists neuroradiologists topologists zoologists biotechnologist
        criminologists cryptologists cytopathologists egging gynaecologist hematologist
        hepatologist histopathologists immunologist intercalative intercity internationals
        internment lateralizing methodologist neonatologist neurobiologists neuropathologist
        neuropathologists neuroradiologist nmeteorologist nneurologist nneurologists
        noncologist npsychologists opthalmologists otolaryngologist phenomenologist
        philologist psychopharmacologist abilities absolutely accidental agreements analyses
        analysis apologies babies because biased bodily caresses casting communities
        conditional consisted consistency dying early effective electricity encoding exceed
        failing falling formalize generalization generally generate generically generosity
        gently happiness happily hoping hopping herring howe hypotheses inning innings
        knightly languages lying matrices news node nodes ponies predication proceed
        relational retrieval running sensational sensitivity singly skies sky studied
        studying succeed theories ties triplicate tying ugly vietnamization wolves
    """,
    "esperanto": """
        estas eblas malsukcesis dosieron lingvoj mankas povas estis dosieroj opcioj
        dosierujon argumentoj dosierojn eblis fiaskis ĉiujn bezonas nomon argumenton novan
        povis signoj komandoj
    """,
    "estonian": """
        kasuta õnnestu ainult ebaõnnestus antud kasutada kasutamine tundmatu olema lubatud
        võtmega väärtus kasutatakse olemas failist failide pikkus lugeda valitud lõpeta
        vahele võtmeid kirjutanud andmete
    """,
    "finnish": """
        näissähin hakupuuhun virheellinen valitsin käyttää kanssa tasavalta odotettiin
        jälkeen ulkopuolella puuttuu tyyppi kohteelle kohteessa tulosta aseta valitsimet
        vaaditaan
    """,
    "french": """
        mauvais malais française françaises nias néerlandaise portugaise islandaise
        libanaise népalaise pakistanaise albanaise albanaises gabonaise irlandaise japonaise
        maltaise néerlandaises ougandaise polonaise rwandaise soudanaise srilankaise
        togolaise valais zélandaise lankaise fichier afficher données utiliser fichiers
        sortie cette utilisateur
    """,
    "german": """
        verwendet erwartet paket aktuellen geöffnet system beendet pakete aktuelle ermitteln
        wechseln unerwartete unerwartetes veraltet angewendet regeln gestartet verwendete
        dateisystem bedeutet umwandeln gesendet aktuell unerwarteter erwartete werden fehler
        ungültige angegeben zeichen anzeigen schlüssel einer
    """,
    "greek": """
        είναι αρχείου όνομα σφάλμα δεδομένων αδυναμία πρέπει γλώσσα χρήση αποτυχία
        δημοκρατία μπορεί μέγεθος χρήστη υπάρχει αριθμός εμφάνιση επιλογές ανάγνωση τύπος
        απέτυχε έγκυρη μενού ετικέτα
    """,
    "hindi": """
        विंडो त्रुटि चौड़ाई कुंजी स्थिति संख्या चाहिए पट्टी चाहिये द्वारा करेगा वस्तु जरूरी
        लिफाफा प्रॉक्सी मौजूदा मेन्यू उपयोक्ता जाएगा ऊंचाई पंक्तियों दिखाया निर्देशिका बनाने
    """,
    "hungarian": """
        érvénytelen lehet nyelvek akkor minden fájlok címke kívül ablak használat például
        esetén gyermek figyelmen használja méret bemenet sorok karakterek kerül program
        értéke nélkül
    """,
    "indonesian": """
        pilihan direktori apakah gunakan adalah masukan ukuran perintah ketika bagian
        digunakan dikenal tampilkan didukung peringatan membuat terlalu memiliki jangkauan
        pengguna membaca penggunaan membuka menulis
    """,
    "irish": """
        theip fhéidir bhfuil rabhadh chomhad bheith cheadaítear fháil chomhadlann dhéanamh
        chruthú ndiaidh carachtar deireadh cheana folamh seoladh bhíothas shocrú fhormáid
        chomhaid chéad ionadaíochta tacaíocht
    """,
    "italian": """
        impossibile riuscita comando eseguire carattere informazioni formato fallita
        modalità archivio creare sconosciuto specificato repubblica predefinito linguaggio
        trovato riuscito possono riferimento configurazione spazio memoria leggere
    """,
    "lithuanian": """
        berberų serverį buferyje kompiuteryje buferį farerų serveryje šumerų konteineryje
        konteinerį konvejeryje serveriai atvers konvejerį numeryje numerį failas pavadinimas
        rodyti meniu reikia nustatyti plotis dydis
    """,
    "nepali": """
        गर्नुहोस् गरिएको गर्ने देखाउनुहोस् गर्दा वर्णको रूपमा प्रतिमा पर्दछ ट्यागले शाखाको
        गर्नु गरियो बीचको औजारको बीचमा सञ्झ्याललाई प्याकेजहरू तपाईँले पृष्ठभूमिको पाठको
        गर्दै गरिन्छ सकिन्छ
    """,
    "norwegian": """
        tvers etterkommers overs tasters steppers pakkers servers eller ugyldig ingen bruker
        brukes under etter valget størrelse republikken tilsvarer stedet linjer vises finnes
        mislyktes
    """,
    "persian": """
        پرونده پشتیبانی هنگام موقعیت تنظیم جایگزین زبانهای پایین پروانه ایالات تأیید
        پویانمایی سامانه پیکان نمادین ویژگی راهنمای نمایان بالای توانید دستگاه گذرگاه
        اطلاعات درخواست
    """,
    "polish": """
        plików udało danych użycie wypisanie polecenia został proszę więcej wszystkie bajtów
        program systemu odczytać wszystkich wyjścia usunąć wyjście ustawić wykonać zmienić
        uzyskać sygnał liczby
    """,
    "porter": """
        using provides training exchanges development information different during clinical
        compared studies application however associated implemented significant applications
        including increased performance activity documentation university
    """,
    "portuguese": """
        inválido impossível opções dados comando ficheiros falhou linhas inválida arquivos
        caracteres criar memória mostrar desconhecido apenas definir república imagem nomes
        informação argumentos idiomas especificado
    """,
    "romanian": """
        informații lipsește stabilește fişier informațiile folosește utilizați aplicație
        potrivește fişierul tipărește încercați locație aplicații eşuat locația fişiere
        aplicația instrucțiuni puteți specificați aplicațiile ieşire instrucțiunile
        stabiliți opţiune selectați același aplicației aplicațiilor fişierele instrucțiune
        fișierul specifică numele afișează secțiunea fișierului republica trebui
    """,
    "russian": """
        удалось значение данных использовать умолчанию слишком файлов неверный должен
        является существует поддерживается режим используется требуется содержит удалить
        функции открыть данные версии запись значения неверное
    """,
    "serbian": """
        датотека датотеке грешка назив користи датотеку неисправан опција исписује вредност
        нисам величина одељак упозорење успео врста опције неисправна садржи података
        директоријум аргумент симбола излаз
    """,
    "spanish": """
        iteracion reubicacion datos opción número línea salida opciones inválido mostrar
        crear código pueden índice archivos información símbolo ficheros
    """,
    "swedish": """
        antalet angivet arkivet paketet indexet slutet tillåtet formatet resultatet systemet
        skrivet otillåtet målet skalet huvudet certifikatet biblioteket attributet
        konungariket reset givet alternativet antaget systemets databassystemet läget
        villkoret felet området språket trädet problemet eller misslyckades ogiltig ogiltigt
        ingen filen efter tecken
    """,
    "tamil": """
        முடியவில்லை கையொப்ப மற்றும் இல்லை வேண்டுமா அல்லது மொழிகள் ஸபோடெக் வேண்டிய வடக்கு
        தவறான பொத்தான் உள்ளது சின்னம் அராபிக் தெற்கு சென்ட்ரல் வேண்டும் உருப்படி நிரல்
        சின்னத்தின் பட்டியல் எண்ணிக்கை பயன்படுத்த
    """,
    "turkish": """
        satır başarısız girdi çıktı içinde yalnızca yeniden fazla yerine dizin tarafından
        dilleri yazdır seçenekler sürüm kullanın dosyaları kullanım dizini metin ifade bölüm
        seçenekleri işleme
    """,
    "yiddish": """
        טעקסט שטעטיק ענצטער איבער עטיקעט געקענט רוקונג געװײנטלעכע גענוג רעכטס טצײכנס געשטא
        נוליקע גליטשער אונטער טירונג אומלעקסיק קלענסטע ריכטונג איצטיקע געשטיצט גרעסטע דרינען
        אײדער
    """,
}
